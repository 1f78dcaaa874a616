import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { IntentContext } from "../../../src/bot/texts/read-intent.js";
import { texts } from "../../support/drafts.js";

const { readIntent } = texts;

/** Names an intent in one word, such as `describe`, `describe video`, `command top-up`, `talk thanks`. */
async function said(text: string, context: IntentContext = {}): Promise<string> {
  const intent = await readIntent(text, context);
  if (intent.kind === "command") return `command ${intent.name}${intent.argument && ` ${intent.argument}`}`;
  if (intent.kind === "talk") return `talk ${intent.about}`;
  return intent.kind === "describe" && intent.type ? `describe ${intent.type}` : intent.kind;
}

const AFTER = {
  nothing: {},
  "a picture": { last: "image" },
  "a video": { last: "video" },
  "a song": { last: "music" },
  "an answer of support": { isAnswered: true },
  "a card that asks": { card: { hasText: false, hasPictures: false } },
  "a full card": { card: { hasText: true, hasPictures: false } },
  "a card with a photo": { card: { hasText: false, hasPictures: true } },
  "a reply to a picture": { last: "image", isReply: true },
} as const satisfies Record<string, IntentContext>;
type Situation = keyof typeof AFTER;

/** What is meant by the phrases, which are separated by bars, after something. */
type Phrases = readonly [after: Situation | readonly Situation[], meant: string, phrases: string];

const ANYWHERE = ["nothing", "a picture", "a video", "a full card", "a card that asks"] as const;

const TABLE: readonly Phrases[] = [
  // Follow-ups.
  [
    "a picture",
    "more",
    "еще | ещё | Еще! | ещё раз | еще разок | еще одну | еще одну картинку | ещё вариант | другой вариант | другую | а другой? | давай еще | сделай еще | ещё такую же | такую же | то же самое | повтори | повтори пожалуйста | заново | переделай | другое | ещё парочку | нарисуй еще раз | покажи другой | можно ещё? | а можно еще один?",
  ],
  [
    "a picture",
    "more",
    "again | Again! | one more | another | another one | another one please | one more time | do it again | try again | more | once more | once again | repeat | different one | a different version | another version | show me another | give me another one | can you do another one? | can i get one more? | same again | the same | next | redo",
  ],
  ["a video", "more", "еще | ещё раз | другой вариант | again | another one | ещё видео"],
  ["a song", "more", "еще | другую песню | again | another song"],
  ["nothing", "talk wordless", "еще | ещё раз | другой вариант | again | another one | one more | повтори"],
  ["a card that asks", "talk wordless", "еще | ещё раз | again | another one"],
  ["a full card", "talk wordless", "еще | другой вариант | again"],
  ["a picture", "describe video", "ещё видео | another video"],
  // Songs by their names.
  [
    ANYWHERE,
    "describe music",
    "грустный рэп про понедельник | колыбельная для Маши | весёлый трек для пробежки | сочини весёлую песню про маму | a funny song about our cat | funny song about my boss | sad rap about mondays | lullaby for Masha | happy birthday song for Anna",
  ],
  // Changes of the last picture.
  [
    "a picture",
    "edit",
    "а можно ночью? | а можно побольше? | можно ночью? | сделай лучше | увеличь | сделай ночь | сделай ярче | ярче | поярче | чуть ярче | добавь кота | добавь на фон горы | убери шляпу | убери фон | удали человека справа | без шляпы | только без шляпы | но ночью | а теперь ночью | теперь зимой | а если зимой? | а если без шляпы? | поменяй фон на синий | замени кота на собаку | сделай его рыжим | сделай в стиле аниме | в стиле аниме | на закате | в лесу | с котом | с большой красной шляпой | сделай фон белым | сделай картинку поярче | можешь убрать фон? | хочу темнее | больше света | побольше красного | то же самое, но ночью | такую же, но зимой | еще, но без шляпы | ещё с котом | измени цвет глаз | улучши качество | обрежь снизу | а можно без текста? | давай без фона | лучше в профиль | нет, синий",
  ],
  [
    "a picture",
    "edit",
    "without the hat | without a hat | make it night | make it darker | make him smile | make the sky red | brighter | a bit brighter | bigger please | more colorful | more light | less red | remove the hat | remove the background | remove background please | add a cat | add a moon in the sky | change the background to blue | replace the cat with a dog | now at night | now with a hat | with a hat | and with a hat | but at night | only black and white | in winter | in anime style | in the style of Van Gogh | can you remove the text? | can you make it brighter? | could you add a hat? | how about a red hat? | what about winter? | the same but at night | another one but darker | same with a dog | zoom out | crop it | upscale | upscale it | fix the hands | turn it into a painting | give him a hat | put a hat on him | no hat | i want it darker | let's try blue | make the picture brighter",
  ],
  [
    "nothing",
    "unsure",
    "а можно ночью? | сделай лучше | увеличь | ярче | добавь кота | убери шляпу | без шляпы | поменяй фон на синий | without the hat | make it night | brighter | remove the hat | add a cat | change the background | can you make it brighter?",
  ],
  ["a full card", "unsure", "а можно ночью? | сделай лучше | ярче | make it night | without the hat"],
  ["a video", "unsure", "а можно ночью? | убери кота | make it longer | without the hat"],
  ["a song", "unsure", "а можно помедленнее? | быстрее | slower please"],
  [
    "a reply to a picture",
    "edit",
    "а можно ночью? | сделай лучше | ярче | make it night | without the hat | add a cat | в лесу",
  ],
  [
    "a card with a photo",
    "describe",
    "сделай ночь | а можно ночью? | make it night | remove the background | убери фон | добавь шляпу | ярче | в стиле аниме | without the hat",
  ],
  // A picture that is to move.
  [
    "a picture",
    "animate",
    "оживи | оживи это | оживи ее | оживи картинку | анимируй | сделай из этого видео | сделай видео из этой картинки | animate | animate it | animate this picture | make a video of this | make a video of it | turn this into a video | bring it to life with animation | can you animate it?",
  ],
  [
    "a card with a photo",
    "describe video",
    "оживи | оживи это | оживи фото | сделай видео из этого фото | make a video of this | make a video out of it | turn this into a video | animate this photo",
  ],
  ["a reply to a picture", "describe video", "оживи | оживи её | animate it | make a video of this"],
  // Money, time, complaints: never a price first.
  [
    ANYWHERE,
    "support",
    "где мои деньги | где мои деньги? | где мои деньги? заплатила картой и тишина | верните деньги | верните деньги!!! | Верните мне деньги пожалуйста | хочу возврат | не работает | у меня не работает | ничего не работает | почему не работает? | почему так долго | почему так долго? | сколько ещё ждать? | сколько можно ждать | долго еще? | когда будет готово? | а когда? | где картинка? | где моя картинка | где мой заказ? | где видео | картинка не пришла | ничего не пришло | деньги списались а картинки нет | деньги списали дважды | списали деньги | оплатила, но баланс не пополнился | я заплатила и ничего | заказ не пришел | не открывается видео | не загружается | это не то что я просила | это не кошка?? не то что просила | хочу пожаловаться | вы мошенники | это обман | у меня проблема | нужна помощь | почему списали деньги? | когда вернут деньги? | как отменить заказ | зачем сняли деньги | почему мне не отвечают | мне не нравится | не похоже | не получилось | кто-нибудь ответит? | жду уже час | что с моим заказом | что с заказом?",
  ],
  [
    ANYWHERE,
    "support",
    "where is my money | where's my money? | Where is my money?? | refund | refund please | i want a refund | give me my money back | give me back my money | it doesn't work | doesnt work | not working | why is it not working? | why so long? | why is it so slow | how long does it take? | how long | when will it be ready? | is it ready? | where is my picture? | where is my order | i paid and got nothing | i paid but nothing happened | i was charged twice | you charged me twice | the picture didn't arrive | video not loading | i didn't get anything | never arrived | this is a scam | scam | it's broken | i have a problem | i need help with my order | this is not what i asked for | still waiting | why did you charge me? | when do i get my money | what happened to my order | how do i cancel my order | i don't like it",
  ],
  [
    "nothing",
    "support",
    "Здравствуйте! Вчера оплатила картой 300 рублей, деньги списались, а на баланс так ничего и не пришло, верните пожалуйста | Hello, I paid for the video an hour ago and I still have not received anything, please give me my money back",
  ],
  [
    ANYWHERE,
    "support",
    "блять | сука | wtf | fuck | что за хуйня | это говно | ты тупой | тупой бот | идиот | you are stupid | what the fuck is this | this is shit | fuck you",
  ],
  [
    ANYWHERE,
    "talk price",
    "цена | сколько стоит? | сколько стоит видео? | сколько стоит одна картинка | а видео сколько стоит? | почем видео? | это бесплатно? | это платно? | есть подписка? | price | how much? | how much is a video? | how much does it cost | what does a video cost? | is it free? | what are the prices? | is this free",
  ],
  [
    ANYWHERE,
    "command help",
    "помощь | помогите | как это работает? | как пользоваться | как пользоваться ботом? | что делать | что мне делать? | как сделать видео? | что ты умеешь делать? | как оживить фото? | не понимаю | что это? | help | how does it work? | how to use this? | how do i make a video? | what can i do here? | how to animate a photo | what is this? | i don't understand",
  ],
  // Commands in words.
  [
    ANYWHERE,
    "command settings",
    "настройки | Настройки! | мои данные | удали мои данные | удалить мои данные | удали меня | settings | my data | delete my data | delete my account | unsubscribe",
  ],
  [
    ANYWHERE,
    "command promo",
    "промокод | есть промокод | у меня есть промокод | promo | promo code | i have a promo code",
  ],
  [ANYWHERE, "command promo ЛЕТО", "промокод ЛЕТО | Промокод: ЛЕТО | промо ЛЕТО | у меня промокод ЛЕТО"],
  [ANYWHERE, "command promo SUMMER", "promo SUMMER | promo code SUMMER | coupon: SUMMER | redeem SUMMER"],
  [
    ANYWHERE,
    "command top-up",
    "пополнить | как оплатить | как оплатить? | пополнить баланс | как пополнить? | положить деньги | top up | how to pay | how do i top up? | add funds | buy credits",
  ],
  [
    ANYWHERE,
    "command balance",
    "баланс | мой баланс | история | мои картинки | мои заказы | сколько у меня денег | balance | history | my pictures | my orders | деньги",
  ],
  [ANYWHERE, "command cancel-order", "отменить заказ | отмени заказ | cancel my order | cancel the order"],
  [ANYWHERE, "command cancel", "отмена | Отмена! | стоп | не надо | cancel | Never mind. | stop"],
  [ANYWHERE, "command language", "язык | сменить язык | language"],
  [ANYWHERE, "command invite", "пригласить друга | реферальная ссылка | invite a friend"],
  [
    ANYWHERE,
    "command start",
    "привет | Привет! | ПРИВЕЕЕТ))) | Здравствуйте. | добрый день 🙂 | привет, как дела? | ты тут? | ты кто? | эй | hi | Hiii 👋 | Hello, bot | 👋🏽 | 👋 👋 | are you there? | who are you? | start | начать | меню",
  ],
  [
    ["a picture"],
    "talk thanks",
    "nice picture! | beautiful picture | красивая картинка | классная картинка!",
  ],
  [["a song"], "talk thanks", "beautiful song | красивая песня"],
  [ANYWHERE, "talk operator", "оператор | Поддержка | позовите оператора | operator | talk to a human"],
  // Small talk.
  [
    ANYWHERE,
    "talk thanks",
    "спасибо! | Спасибо большое | ок, спасибо | супер!!! | круто | класс | красиво | мне нравится | thanks | OK, thank you! | love it | so beautiful | good job | ❤️ | 🙏🏽",
  ],
  [ANYWHERE, "talk yes", "да | ок | Окей | понятно | yes | 👍 | 👍🏻 | + | 👌👌"],
  [ANYWHERE, "talk no", "нет | No. | 👎 | не то"],
  [
    ANYWHERE,
    "talk wordless",
    "? | 3 | 1 000 | 9:16 | 🦊 | 🐱🐶 | … | !!! | ))) | ну | эй, слушай | нарисуй | сделай | хочу | это | его | this | it | draw | make | please | мне",
  ],
  // After an answer of support.
  [
    "an answer of support",
    "support",
    "а когда? | когда? | да | нет | ок | 12 | номер 12 | карта сбербанка | вчера вечером | завтра | скриншот приложила | я оплатила вчера | пришло | всё пришло | хорошо, жду | я уже писала об этом | не помогло | так и нет | ты уверен? | when? | yes | no | order 12 | yesterday | by card | it came | still nothing | i will wait | ok i see it | and the second one? | what now? why?",
  ],
  [
    "an answer of support",
    "describe",
    "рыжий кот в очках | нарисуй кота | закат над морем, акварель | a red fox in the snow | a fox in the snow | an old man walks his dog in the park | draw a cat | a lighthouse in a storm, oil painting",
  ],
  ["an answer of support", "describe video", "сделай видео: кот бежит | make a video of a fox"],
  ["an answer of support", "talk thanks", "спасибо | thank you!"],
  ["an answer of support", "command top-up", "пополнить | top up"],
  // Doubt.
  [
    ["nothing", "a picture", "a video", "a full card"],
    "unsure",
    "кот? | why is the sky blue? | почему небо голубое? | а кота? | где мой кот | мне скучно | я устал | i am bored | do you like cats? | что ты думаешь о погоде? | ты любишь кошек? | как погода | where are cats",
  ],
  ["a card that asks", "describe", "где мой кот | сделай ночь"],
  // Descriptions.
  [
    [...ANYWHERE, "a card with a photo"],
    "describe",
    "кот | котик | sunset | лиса | звёзды | радуга | Sea | wolf | маяк | история любви | рыжий кот в очках | a red fox in the snow | где-то в лесу стоит дом | how the moon was born, watercolor | сколько звёзд на небе, акварель | привет из космоса | a fox says hi | hi-res photo of a cat | конь в пальто | да здравствует лето | thanks giving dinner table | цена свободы, плакат | Video game character, pixel art | видеокамера на столе | видео-арт с неоном | Music box on a table | нарисуй кота | нарисуй мне кота в шляпе | можешь нарисовать кота? | Can you draw a cat in a hat? | фото лисы в лесу | Draw a movie poster | draw a video game character | Нарисуй песню льда | сделай мне кота в космосе | make a cat in a hat | хочу кота | я и мой кот на пляже | девушка с жемчужной серёжкой | старый дом у моря | money rain over the city | деньги падают с неба | денежное дерево | банк в стиле барокко | робот читает книгу | часы, время, песок | city that never sleeps, neon | время назад | возвращение домой | верный друг | платье в горошек | картошка фри на столе | новый год в деревне | долгая дорога домой | бесплатный сыр в мышеловке, плакат | кот и собака | two cats | three ships | a boat on a lake | cyberpunk street, rain, neon, 35mm, bokeh, cinematic light | логотип кофейни «Ещё раз» в стиле минимализм | логотип для бота поддержки | man working in the office | портрет моей бабушки | мой кот | my dog on the moon",
  ],
  [
    "nothing",
    "describe",
    "no man’s land at dawn | ошибка природы | error 404 page | scam alert banner | the end of the world | may flowers | кот который ждёт хозяина у двери | долгая счастливая жизнь | вернуть лето | верни мне моё лето, плакат | бот-садовник | тишина | добавь и разбавь, не забудь взболтать, плакат | once upon a time in the west | thank you, mom, postcard | другой мир | another world | сделай видео-открытку | сделай кота в шляпе | в тёмном лесу стоит старый дом | in the deep forest stands an old house | with great power comes great responsibility, poster | как рождаются звёзды в далёкой галактике | when the sun goes down over the old harbour | можно ли дотянуться до луны, акварель | change of seasons, oil painting | a man who lost everything waits for a train that never comes back again | Song\nof the sea\nand the wind | не жалею, не зову, не плачу,\nвсё пройдёт, как с белых яблонь дым | a very long prompt about a castle on a hill with dragons, fire, smoke, people running, cinematic lighting, where is my money written on a flag",
  ],
  // Requests of a kind.
  [
    ANYWHERE,
    "describe video",
    "сделай видео: кот бежит | Сделай, пожалуйста, видео про кота | видео | Хочу видео! | Make a video of a cat running | видео с котом",
  ],
  [
    ANYWHERE,
    "describe music",
    "сочини песню про маму | песня про лето | Write a song about rain | I’d like a song",
  ],
  [ANYWHERE, "describe image", "картинка | Make a picture | сделай картинку: лиса | draw a picture of a fox"],
  ["nothing", "describe video", "сделай видео о работе | make a video about waiting | видео про нас"],
  // As people write who have only seen the demo.
  [
    ANYWHERE,
    "support",
    "за что списали 10 рублей | почему 10 рублей | why 10 rubles? | why was i charged 10 rubles | я передумал, верни 10 рублей | i changed my mind, give back 10 rubles | потерялась картинка | my picture is gone | вчера заказал видео, не пришло | i ordered a video yesterday and it never came | нет денег | i have no money | когда ответит поддержка | when will support answer | это не кот | it's not a cat | this isn't what i wanted | i said without a hat | nothing works here | where are my pictures | где лежат мои картинки",
  ],
  [ANYWHERE, "talk thanks", "ничего себе, красиво | вау, как живой! | wow so realistic | not bad"],
  [ANYWHERE, "talk no", "ну такое | не очень | meh"],
  [ANYWHERE, "talk yes", "поехали | жми | ну давай | давай | go | let's go | yes, go"],
  [
    ANYWHERE,
    "talk operator",
    "здравствуйте, у меня вопрос | есть вопрос | хочу поговорить с человеком | hi, i have a question | question | i want to talk to a human",
  ],
  [ANYWHERE, "command start", "тест | проверка | ты где | test | testing | where are you"],
  [ANYWHERE, "command settings", "отстань | не пиши мне больше | stop messaging me | leave me alone"],
  [ANYWHERE, "command top-up", "можно оплатить сбп? | can i pay by card? | can i pay with paypal?"],
  [
    ANYWHERE,
    "command help",
    "привет, что тут можно делать? | а музыку умеешь? | а песню можешь? | где скачать | what can i do here | can you do music too? | where do i download it",
  ],
  [
    ANYWHERE,
    "talk price",
    "а сколько бесплатных? | это дорого | а дешевле есть? | that's expensive | anything cheaper?",
  ],
  [ANYWHERE, "talk wordless", "ок рисуй | да, рисуй | ok draw it | ахахаха | lol"],
  [
    ["nothing", "a picture", "a full card"],
    "unsure",
    "что значит 10 ₽ | примете звёзды? | do you take crypto | сохрани | пришли файлом | скинь в хорошем качестве | save it | send it in high quality | send as a file | кто рисует? ты или человек | who draws this, you or a human? | можно использовать в рекламе? | can i use it commercially? | а авторские права чьи? | who owns the copyright? | как тебя удалить | а без регистрации можно? | do i need to sign up? | is it private?",
  ],
  [
    "a picture",
    "edit",
    "а можно в другом стиле? | another style please | другой фон | сделай как в аниме | do it in anime | не та порода, нужна овчарка | wrong breed, i need a shepherd | лучше собаку | теперь собаку | now a dog | в полный рост | на белом фоне | on a white background | no text | more cats | zoom in on the face | сотри водяной знак | remove the watermark",
  ],
  [
    ["nothing", "a card that asks", "a full card"],
    "describe",
    "собака на скейте | мне нужна открытка на день рождения маме | с днём рождения, мама! | нарисуй логотип для пекарни | Москва | 123 кота | ёж в тумане | a dog on a skateboard | i need a birthday card for my mom | happy birthday mom | logo for a bakery | Paris | mom | meow | 123 cats | hedgehog in the fog | passport photo | picture of my dog | сделай аватарку для телеграма | make me an avatar",
  ],
  // As people write when they describe nothing, or no change.
  ["a picture", "animate", "оживи | а можешь чтоб она двигалась | animate it | make it move"],
  [["nothing", "a picture"], "command balance", "сколько у меня осталось | how many do i have left"],
  [["a full card", "a card that asks"], "command cancel", "не надо | nvm"],
  [
    "nothing",
    "command help",
    "здрасте че умеешь | че тут делать надо | можно ли загрузить свое фото | wat can u do | а что писать сюда надо | so what do i write here",
  ],
  ["a picture", "command help", "как скачать в хорошем качестве | how do i download hd"],
  [
    ["nothing", "a picture"],
    "command help",
    "на каком языке писать | что писать то | what language do i write in | what do i type",
  ],
  [["nothing", "a picture"], "command settings", "удали мои данные | delete my data"],
  ["nothing", "command start", "привет | ку | hi"],
  [["nothing", "a picture"], "command start", "меню | алло | спокойной ночи | menu | hellooo?? | good night"],
  [["nothing", "a picture"], "command top-up", "как пополнить | how to top up"],
  [
    ["nothing", "a picture", "a full card"],
    "describe",
    "кот | закат на море | логотип кофейни | счастье | мама и дочь | где живёт дед мороз | моя собака в космосе | открытка на др мужу 40 лет | с днем рождения катя | девушка в красном платье под дождем | котик спит | нарисуй дракона | сделай аву для тг в стиле аниме | хочу розовый мерс у моря | деньги падают с неба | бот робот который плачет | ещё один день сурка постер | как ёжик нашел друга | злой начальник орёт на сотрудника | тоска | спасибо деду за победу открытка | я супергерой лечу над москвой | Доброе утро с цветами | человек ждет автобус | чек из магазина фотореализм | cat | sunset | my dog as astronaut | coffee shop logo | mom and daughter | bday card for my husband turning 40 | happy birthday katie | girl in red dress in the rain | sleeping kitten | draw a dragon | anime pfp purple hair | i want a pink mercedes by the sea | money falling from the sky | robot crying | faceless man in a hat | angry boss yelling | waves crashing video | loneliness | thank you card with flowers | me as superhero flying over nyc | good morning with roses | man waiting for a bus | grocery receipt photorealistic | как я провёл лето | я космонавт на луне | мне 18 лет открытка | подружка невесты | бабушка вяжет носки | история красоты | me on the moon | human history | surprise party | ill man in bed | corgi | grandma knitting socks | car motion blur",
  ],
  [
    ["nothing", "a full card"],
    "describe",
    "без лица мужчина в шляпе | поменяй мир плакат | another day in paradise poster | change the world poster",
  ],
  [["nothing", "a card that asks"], "describe", "fire"],
  [
    "nothing",
    "describe",
    "девочка играет в песочнице | кот на кассе в банке | старая карта сокровищ | пират с картой не может найти клад | бот пишет стихи | часы без стрелок | дракон ждёт заказ в кафе | песочные часы сломались | человек без лица платит картой | девушка в кафе ждет заказ | кто в домике живет | на что похожи облака | мой муж и бро на рыбалке | за чем пойдёшь то и найдёшь | тихий час в детском саду | русалка надень | рыцарь и дракон | пара на лавочке | сломанный робот | банковская карта с котом | a lost treasure map | tired bank clerk with no money | clock with no hands | kid waiting for pizza order | broken robot | robot taking a photo | photographer lost in the desert | photo of a broken robot | old man with credit card | one cat all alone | girl and her lost bear | left handed guitarist | sound wave | language of flowers | quality street | happy bday bro | deer surprise | moving castle | through the looking glass | the lost boys | back to the future | error on the wall | language school logo | dude on a skateboard | живой уголок",
  ],
  [["nothing", "a picture"], "describe", "credit card on fire"],
  ["a picture", "describe", "man in black | с новым годом | with love from paris"],
  ["nothing", "describe image", "хочу картинку | i want a picture"],
  [["nothing", "a picture", "a full card"], "describe music", "песня про тещу веселая"],
  ["nothing", "describe music", "спой песню пж | make me a song plz"],
  ["nothing", "describe video", "сделай мне видео пж | make me a video pls | сделай мне видео пожалуйста"],
  [
    ["nothing", "a picture", "a full card"],
    "describe video",
    "видео как волны бьются о скалы | video of my cat singing",
  ],
  [
    "a picture",
    "edit",
    "fon pomenyay | сделай волосы рыжими | без текста | то же самое только зимой | убери шестой палец | глаза кривые поправь | побольше снега и поярче | шляпу ему надень | same but blue | no text | make her hair red | chnage the backround | remove the guy on the left | can u make it darker | fix the hands | more snow and brighter | put a hat on him | руки нормальные сделай | bez teksta | fix his eyes they look weird | different background | add a logo | убери плакат",
  ],
  ["a picture", "more", "еще | давай ещё разок | another one | again pls"],
  ["a video", "more", "ещё раз но по другому | one more but different"],
  [
    "nothing",
    "support",
    "ау есть кто живой | is this a scam | картинка где | видео где | pic where | не вижу кнопку",
  ],
  ["a picture", "support", "не похоже вообще | фигня какая то"],
  ["a video", "support", "а звук где | видео не открывается | video wont play"],
  [
    ["nothing", "a picture"],
    "support",
    "оплатил а денег нет | деньги списались где картинки | я скинул 100р проверьте | чек нужен | верните деньги пожалуйста передумал | сбер пишет отклонено | сука опять не то | жду жду и ничего | бля | тупой бот | за что я заплатил вообще | как отменить подписку | где мои картинки | i paid but got nothing | money taken where are my pics | need a receipt | refund please changed my mind | card declined | wtf is this price | this sucks | fuck off | waiting and waiting nothing | shit | stupid bot | what did i even pay for | cancel my subscription | where are my pictures | перевел а баланс ноль | деньги где | карта не проходит | я оплатила только что | не грузит ничего | за видео сколько | 10р это за что | payment failed | paid but balance zero | my card got declined twice | nothing loads | waste of money | sorry wrong person",
  ],
  [
    "an answer of support",
    "support",
    "и когда ждать | не помогло | всё равно не работает | я же написала вчера вечером в 8 | айфон 13 | how long do i wait | didnt help | still not working | i wrote u yesterday around 8pm | iphone 13",
  ],
  [["a full card", "a card that asks"], "support", "wait thats not what i meant"],
  ["a picture", "talk no", "meh"],
  [["a full card", "a card that asks"], "talk price", "а дешевле | anything cheaper"],
  [
    ["nothing", "a picture"],
    "talk price",
    "почем | скок стоит видос | how much | cost of a vid? | is it free | а первая бесплатная да | price for video | is the first one free",
  ],
  ["nothing", "talk price", "does it cost money"],
  [
    "a picture",
    "talk thanks",
    "огонь 🔥🔥🔥 | вау круто спасибочки | пасиб | от души братан | спс ❤️ | благодарю вас очень красиво получилось | omg i love it 😍 | lol thats sick | ty | thx ❤️ | thank you so much came out beautiful | кайф | имба | прикольно | damn thats good | fire | insane | you nailed it | sweet | огонь | bomb | this is so good | очень круто получилось | you are nice",
  ],
  ["an answer of support", "talk thanks", "спасибо разобралась | thx figured it out"],
  [["nothing", "a picture"], "talk wordless", "аааааа | 😂 | aaaaaa"],
  ["nothing", "talk yes", "ну давай удиви | surprise me"],
  [
    ["nothing", "a picture"],
    "talk yes",
    "ок пришло | понял | ok it came through | got it | понятненько | haha ok",
  ],
  [["a full card", "a card that asks"], "talk yes", "да | yes"],
  ["a picture", "talk yes", "норм"],
  [
    "nothing",
    "unsure",
    "а вы бот или человек | это развод? | мне подруга скинула ссылку | а голосом можно диктовать | я от Маши | yo whats this | hello anyone there | are you a real person | can i upload my own photo | do u speak spanish | ok so im new to this | just looking around | я ничего не понял объясните нормально | это платно чтоли | ща попробую | i dont get it | lemme try | деньги не пахнут | я и ты на луне | что снится коту | no money no honey | all in one | дай скидку | i changed my phone | it says error | this is taking forever | hold on | расскажи анекдот | секунду | карта не принимается",
  ],
  [
    "a picture",
    "unsure",
    "отправлю маме пусть порадуется | показал жене она в шоке | doesnt look like me at all | gonna send this to my mom | my wife is gonna freak out | youre the best man | жесть как красиво | ну ты даешь | дочка в восторге",
  ],
  [
    "a video",
    "unsure",
    "длиннее можно? | помедленнее | ржу не могу 😂😂 | can it be longer | slower | wheres the sound | im dead 💀💀 | add music",
  ],
  [["a full card", "a card that asks"], "unsure", "стоп я не то написал | погоди я подумаю | let me think"],
  [
    ["nothing", "a picture"],
    "unsure",
    "вы че офигели такие цены | да пошли вы | а бесплатно нельзя? | 10 рублей за одну или за все | дороговато | фывфыв | ой не туда | я сейчас за рулем потом напишу | не знаю что придумать | ладно завтра попробую | just sent 5 bucks check | its been half an hour | 10 rub for one or all of em | kinda pricey | asdfgh | oops wrong chat | mom im on my way buy milk | driving rn talk later | idk what to make | руки бы вам оторвать | позор | хех | мда | я дома | перезвони | извините ошиблась | worst app ever | brb | call me | im home | whatever",
  ],
  [
    ["nothing", "a picture", "a full card"],
    "unsure",
    "кто сказал мяу | что такое любовь | how i met your mother | what is love",
  ],
  [["nothing", "a full card"], "unsure", "you are nice"],
  [
    "nothing",
    "unsure",
    "хотела спросить | зашла посмотреть | случайно отправила | запуталась | сижу на работе | keeps saying error | posted it on instagram | any update | not sure what to do | sent by mistake | forgot my password",
  ],
  [
    "nothing",
    "describe",
    "очень грустный кот | просто кот | случайная встреча | уже зима | busy bee | never ending road | accident on the road",
  ],
];

const PHRASES = TABLE.map(([after, meant, phrases]) => ({
  meant,
  situations: [after].flat() as readonly Situation[],
  texts: phrases.split(" | ").map((text) => text.trim()),
}));

test("the table has enough phrases", () => {
  expect(new Set(PHRASES.flatMap((row) => row.texts)).size).toBeGreaterThan(500);
});

describe.each(PHRASES)("“$meant” is meant after $situations", ({ meant, situations, texts: phrases }) => {
  test.each(situations)("after %s", async (situation) => {
    const read = await Promise.all(
      phrases.map(async (text) => `${text} → ${await said(text, AFTER[situation])}`),
    );
    expect(read.filter((line) => !line.endsWith(`→ ${meant}`))).toEqual([]);
  });
});

test("a model's name is one, and words of any length and kind are read", async () => {
  expect(await said("Kling", { isModel: true })).toBe("model");
  const parts = [
    "a ",
    "еще ",
    "?",
    "\n",
    "make ",
    "please, ",
    "промокод:",
    "где мои ",
    "👍",
    "-",
    "'",
    "видео ",
    "i want ",
  ];
  for (const part of parts)
    for (const end of ["", "x", "?", " еще"]) {
      const text = part.repeat(4096 / part.length) + end;
      expect(["describe", "unsure", "talk"]).toContain((await readIntent(text)).kind);
    }
});

test("no word of a request, however often, takes more time than reading it", async () => {
  const lists = ["fillers", "tones", "verbs", "nouns-image", "nouns-music", "kinds-of-song"];
  const words = texts.languages.flatMap(({ t }) => lists.flatMap((list) => t(`request-${list}`).split(",")));
  for (const word of ["весёлая", "веселая", ...words.map((one) => one.trim().replace("*", "ая"))])
    expect((await readIntent(`${`${word} `.repeat(200)}сцена`)).kind).toBeTypeOf("string");
});

test("a request about a known word keeps its description", async () => {
  expect(await readIntent("песня о тебе")).toEqual({ kind: "describe", type: "music", text: "о тебе" });
  expect(await readIntent("видео про нас")).toEqual({ kind: "describe", type: "video", text: "про нас" });
});

test("a long text keeps each of its characters", async () => {
  const text = `${"a castle, ".repeat(300)}the end`;
  expect(await readIntent(text, { last: "image", isAnswered: true })).toEqual({ kind: "describe", text });
});

/** Messages that no example was written for: `order|words`, `change|words` and `talk|words`. */
const UNSEEN = readFileSync(join(import.meta.dirname, "unseen.txt"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split("|") as [kind: string, words: string]);

async function shareOf(kind: string, kinds: readonly string[], context: IntentContext): Promise<number> {
  const ofKind = UNSEEN.filter(([one]) => one === kind);
  const read = await Promise.all(ofKind.map(([, words]) => readIntent(words, context)));
  return read.filter((intent) => kinds.includes(intent.kind)).length / ofKind.length;
}

test.each(texts.languages)("the bot's own suggestions are orders of their kind: $code", async ({ t }) => {
  for (const situation of ANYWHERE) {
    expect(await said(t("example-image"), AFTER[situation])).toBe("describe");
    expect(await said(t("example-video"), AFTER[situation])).toBe("describe");
    expect(await said(t("example-music"), AFTER[situation])).toBe("describe music");
  }
});

describe("what nobody wrote an example for", () => {
  test.each([
    ["nothing", 0.03],
    ["a picture", 0.04],
    ["a full card", 0.03],
    ["an answer of support", 0.01],
  ] as const)("is no order where it is talk, after %s", async (situation, most) => {
    expect(await shareOf("talk", ["describe", "edit"], AFTER[situation])).toBeLessThan(most);
  });

  test("is an order where it describes something, after most situations", async () => {
    expect(await shareOf("order", ["describe"], AFTER.nothing)).toBeGreaterThan(0.92);
    expect(await shareOf("order", ["describe"], AFTER["a picture"])).toBeGreaterThan(0.9);
    expect(await shareOf("order", ["describe"], AFTER["an answer of support"])).toBeGreaterThan(0.85);
  });

  test("hardly becomes a new picture where it changes the last one", async () => {
    expect(await shareOf("change", ["describe"], AFTER["a picture"])).toBeLessThan(0.25);
    expect(await shareOf("change", ["edit"], AFTER["a picture"])).toBeGreaterThan(0.35);
  });
});
