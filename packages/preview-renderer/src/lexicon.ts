/**
 * The words that the renderer knows, Russian and English. `море` is that word alone, `лес*` every word
 * that begins so. Short stems are spelled out where a prefix would catch other words (`sea` ≠ `season`).
 */
export const PLACES = {
  sea: "sea seas ocean* beach* shore* coast* harbor* harbour* bay wave waves island* seascape* море моря морю морем морск* океан* пляж* берег* побереж* залив* волн* остров* порт",
  forest:
    "forest* wood woods woodland* jungle* pine pines grove taiga лес леса лесу лесом лесов лесн* лесах джунгл* роща рощ* тайг* сосн* ель ели",
  city: "city cities town* street* skyline* skyscraper* downtown metropolis* urban tokyo york moscow london paris город* улиц* небоскреб* мегаполис* проспект* переулк* москв* токио париж* лондон*",
  mountains:
    "mountain* alps alpine peak peaks summit* cliff* canyon* rock rocks valley* volcano* himalaya* гора горы горе горой гору гор горам горах горный горн* вершин* скал* каньон* долин* вулкан* альп* эльбрус*",
  desert: "desert* dune dunes sahara sand sands пустын* дюн* барханы бархан* песок песк* сахар*",
  lake: "lake* river* pond* stream creek waterfall* fjord* озеро озер* река реки реке рекой реку рек речк* речн* пруд* ручей ручь* водопад* фьорд*",
  meadow:
    "meadow* field fields hill hills countryside prairie* village* garden* park grass луг луга лугу лугов поле поля полю полем полян* холм* деревн* сад сада саду садом парк* трав* степ* сельск*",
  space:
    "space cosmos cosmic galax* nebula* universe planet* astronaut* orbit* stellar interstellar космос* космич* галактик* туманност* вселенн* планет* космонавт* астронавт* орбит* созвезд*",
  moon: "lunar lunarscape",
  room: "room rooms bedroom* kitchen* interior* indoor* office livingroom fireplace* bakes baking cooks cooking комнат* кухня кухни кухне кухню кухней кухонь спальн* гостиная гостиной гостиную интерьер* кабинет* офис* камин камина камине камином печет пекут готовит готовят",
  abstract:
    "abstract* geometr* fractal* pattern* concept* minimal* texture* shapes абстракт* геометр* фрактал* узор* концепт* минимал* текстур*",
} as const;

export const TIMES = {
  night:
    "night* midnight moonlit moonlight moon starry star stars dark ночь ночи ночью ночн* полноч* луна луны луной лунн* звезд* темн* тьма тьме aurora* северно* сияни*",
  sunset: "sunset* dusk evening* twilight golden закат* вечер* сумер* золотой",
  dawn: "dawn* sunrise* morning* рассвет* утро утра утром утрен* восход* заря зари",
  day: "day daytime noon sunny daylight день днем дня дневн* полдень солнечн* солнце",
} as const;

export const WEATHERS = {
  rain: "rain rains rainy raining drizzle* wet дождь дожд* ливень ливн* мокр*",
  snow: "snow* blizzard* frost* icy ice снег* снеж* метел* мороз* вьюг* лед льда льду ледян* заснеж*",
  storm:
    "storm* thunder* lightning* hurricane* буря бури бурей гроза грозы грозой грозу шторм* молни* ураган*",
  fog: "fog* mist misty haze hazy smoke туман туман* дымк* мгла мгле дым",
  clouds: "cloud* overcast облак* облач* туч* пасмурн*",
} as const;

export const SEASONS = {
  winter: "winter* christmas зима зимы зиме зимой зимн* новогод* рождеств*",
  autumn: "autumn* fall fallen october осень осени осенью осенн* листопад* октябр*",
  spring: "spring* blossom* sakura cherry весна весны весной весенн* цветущ* сакур* вишн* май",
  summer: "summer* лето лета летом летн* июль июл*",
} as const;

export const MOODS = {
  neon: "neon* cyberpunk* synthwave* vaporwave* futuris* неон* киберпанк* футурис*",
  dark: "gloomy moody mysterious scary horror gothic noir мрачн* таинствен* страшн* готич* нуар*",
  bright: "bright vivid colorful colourful cheerful happy joy* ярк* красочн* весел* радост* счаст* цветн*",
  calm: "calm quiet peaceful serene dreamy gentle soft cozy cosy спокой* тих* мирн* безмятеж* нежн* уютн* мечтат*",
} as const;

/** Who stands in the picture: one name for each kind of person, with its number where the word has one. */
export const PEOPLE = {
  boy: "boy мальчик мальчика мальчику мальчиком мальчике мальчиш* сын сына сыном сынишк* внук внука внуком",
  girl: "girl девочка девочки девочку девочке девочкой дочка дочки дочку дочкой дочь внучк*",
  boys: "boys мальчики мальчиков мальчикам мальчиками",
  girls: "girls девочек девочкам девочками",
  child: "child kid toddler ребенок ребенк* малыш*",
  children: "children kids дети детей детям детьми детишк* ребята ребят",
  grandfather:
    "grandfather* grandpa* granddad* дедушк* дед деда деду дедом старик* старичк* старичок старец старца",
  grandmother: "grandmother* grandma* granny бабушк* бабул* бабуля старух* старушк* старушек",
  woman:
    "woman lady mother mom mum queen princess женщина женщины женщину женщине женщиной девушк* дама даму мама мамы маму мамой мамочк* королев* принцесс*",
  women: "women ladies женщин женщинам женщинами девушек",
  man: "man guy gentleman father dad мужчин* мужик* парень парня парню парнем папа папы папу папой",
  men: "men guys парни парней",
  bride: "bride brides невест*",
  groom: "groom grooms жених*",
  couple: "couple couples пара пары пару парой newlyweds молодожен*",
  family: "family families семья семью семьи семьей",
  people: "people friends люди людей людям друзья друзей подруг*",
  anybody:
    "person traveler traveller wanderer человек* путник* путешествен* astronaut* космонавт* астронавт*",
} as const;

const PERSON = Object.values(PEOPLE).join(" ");

/** How many of what follows. */
export const NUMBERS = {
  two: "two pair два две двое двух двоих",
  three: "three три трое трех троих",
  four: "four четыре четверо",
  five: "five пять пятеро",
} as const;

/** What somebody does, where it changes how they look. */
export const POSES = {
  runs: "run runs running gallops galloping бежит бегут бегущ* бежал* мчится мчатся скачет скачут несется",
  sleeps: "sleep sleeps sleeping asleep спит спят спящ* дремлет дремл* уснул*",
} as const;

export const SUBJECTS = {
  cat: "cat cats kitten* kitty кот кота коту котом коты котов коте кошк* кошеч* котен* котик* котят*",
  dog: "dog dogs puppy puppies husky corgi wolf wolves собак* собач* пес пса псы псу щенок щенк* щенят* волк*",
  fox: "fox foxes vixen лис лиса лисы лисе лису лисой лисиц* лисен* лисич* лисят*",
  boat: "boat* ship ships sail* yacht* лодк* лодоч* корабл* парус* яхт* кораблик*",
  whale: "whale* dolphin* кит кита киты китов китом дельфин*",
  house:
    "house houses home cottage* cabin* hut дом дома дому домом домик* изба избы избушк* хижин* коттедж* дач*",
  castle: "castle* fortress* palace* замок замк* крепост* дворец дворц*",
  lighthouse: "lighthouse* маяк маяк*",
  balloon: "hotairballoon* airship* дирижабл* аэростат*",
  balloons: "balloon* шарик* шары шарами",
  kite: "kite kites",
  rocket: "rocket rockets ракета ракеты ракету ракете ракетой ракет",
  spaceship: "spaceship* звездолет*",
  robot: "robot* android* cyborg* mech робот* андроид* киборг*",
  person: PERSON,
  portrait: "portrait* face selfie closeup портрет* лицо лица лицом",
  tree: "tree trees oak willow birch* дерево дерев* дуб дуба дубы ива береза берез* яблон* сакур* sakura",
  flower:
    "flower* rose roses tulip* poppy poppies lavender daisy daisies bouquet peony peonies пион пионы пионов пионами цветок цветк* цветы цветов цветами роза розы розу роз тюльпан* мак маки маков* лаванд* ромашк* букет*",
  sunflower: "sunflower* подсолнух* подсолнечник*",
  bee: "bee bees bumblebee* honeybee* пчела пчелы пчелу пчелой пчел пчелк* шмель шмеля шмели шмелей",
  bird: "bird birds seagull* gull gulls swallow* crow crows raven* птиц* птичк* чайка чайки чайку чаек ласточк* ворон ворона вороны журавл*",
  butterfly: "butterfly butterflies moth бабочк* мотыл*",
  car: "car cars automobile* taxi машин* автомобил* авто такси",
  train: "train trains locomotive* поезд поезда поезде поездом поезду поездов паровоз* локомотив* электричк*",
  road: "road roads highway* дорога дороги дороге дорогу дорог шоссе трасса трассы трассе трассу",
  fire: "fire fires bonfire* campfire* flame flames burning blaze огонь огня огню огнем огне костер костра костру костром костре костры костров пламя пламени пламен* пожар пожара пожары пожаром",
  fireplace: "fireplace* камин камина камине камином камины",
  deer: "deer stag stags reindeer* fawn moose elk олень оленя оленю оленем олене олени оленей оленям оленями оленен* олених* лось лося лосю лосем лоси лосей",
  horse:
    "horse* pony ponies stallion* mare mares foal лошад* конь коня коню конем коне кони коней коням конями жеребец жеребц* жеребен* кобыл* пони скакун*",
  unicorn: "unicorn* единорог*",
  dragon: "dragon* wyvern* дракон*",
  hat: "hat hats fedora sombrero шляп* шапк* цилиндр цилиндре цилиндром кепк*",
  cake: "cake* cupcake* muffin* торт торта торту тортом торте торты тортов тортик* кекс* капкейк*",
  pizza: "pizza* пицц*",
  burger: "burger* hamburger* cheeseburger* sandwich* бургер* гамбургер* чизбургер* бутерброд* сэндвич*",
  coffee:
    "coffee tea cup cups mug mugs cappuccino latte espresso кофе чай чая чаю чаем чашк* кружк* капучино латте эспрессо",
  fruit:
    "fruit* apple apples pear pears oranges фрукт* яблоко яблока яблоки яблок яблоку яблоком груша груши грушу грушей апельсин*",
  food: "food* meal meals dish dishes dinner lunch breakfast soup soups pasta noodles ramen salad* rice sushi borscht еда еды еде еду едой блюдо блюда блюду блюдом обед обеда обедом обеды ужин ужина ужином завтрак* суп супа супу супом супы борщ* паста пасты пасту пастой салат* лапша лапши лапшу рамен плов* каша каши кашу кашей суши",
  clock: "time clock* watch hour hours время времени часы часов часах циферблат*",
  heart: "heart* love valentine* сердц* сердеч* любов* люблю любви",
} as const;

/** How a picture is painted. */
export const STYLES = {
  oil: "oil impressionis* impasto gogh monet масло маслом масляная масляной масляную масляными импрессиони* мазк*",
  watercolour: "watercolor* watercolour* aquarelle* акварел*",
  pixel: "pixel* pixelart 8bit 16bit voxel* пиксел*",
  outline:
    "outline* outlined lineart sketch* pencil contour* doodle* контур* набросок наброск* эскиз* карандаш* раскраск* скетч* линиями",
} as const;

/** The colours that a prompt can name; a key is the colour meant. */
export const COLOURS = {
  "#d8323c": "red crimson scarlet красн* алый алая алое алые алым багров*",
  "#f0862e": "orange amber оранж* рыж* янтар*",
  "#f2c43a": "yellow gold golden желт* золот*",
  "#3f9b57": "green emerald зелен* изумруд*",
  "#1fa8a5": "teal turquoise cyan бирюз*",
  "#2f6fd0": "blue azure син* голуб* лазур*",
  "#7d4bc4": "purple violet lilac lavender фиолет* сирен* лилов* пурпур*",
  "#ea7aa8": "pink rose розов*",
  "#23232b": "black черный черная черное черные черного черной черную черных черным черному",
  "#f1eee8": "white белый белая белое белые белого белой белую белых белым белому",
  "#8b8d94": "gray grey серый серая серое серые серого серой серую серых серым",
  "#8a5a3a": "brown коричнев*",
} as const;
