/** Words that do not say what a picture shows, in the notation of the lexicon. */
export const ASIDE =
  "draw paint create generate make show render imagine please want need give me my our your i we you it is are there picture pictures image images photo photos photograph photography illustration painting drawing artwork art poster logo card postcard postcards wallpaper banner cover avatar icon sticker emblem background scene view views scenery landscape panorama macro closeup shot top side front style render digital realistic photorealistic hyperrealistic cinematic detailed beautiful pretty nice lovely cute little small big large huge tiny old young new high quality ultra hd uhd k d best very lone lonely single some many several few lots lot herd flock pack group bunch pair bowl plate anime cartoon comic fantasy living sky light lights horizon scenic dramatic epic magical " +
  "нарисуй* рисуй нарисовать сделай* создай* сгенерируй* изобрази* покажи* хочу нужен нужна нужно дай придумай* пожалуйста мне нам мой моя мое мои наш наша я мы пусть картинк* картина картину рисунок рисунк* фото фотк* фотограф* снимок изображени* иллюстраци* постер* плакат* афиш* логотип* лого открытк* обои баннер* обложк* аватар* аватарк* иконк* стикер* эмблем* фон фоне фона фоном вид вида пейзаж* панорам* макро план стиль стиле стилем кадр* сцен* небо неба много несколько группа стая стадо табун очень красиво реалистично детально аниме мультик* мультяшн* летит летят бежит бегут идет идут сидит сидят стоит стоят лежит лежат спит спят едет едут плывет плывут играет играют танцует танцуют поет поют ест пьет гуляет гуляют смотрит смотрят светит падает растет растут тарелк* миск* краск* красками свет света это этот эта просто";

/** Words at which a phrase ends. What follows them is beside the main thing. */
export const JOINTS =
  "a an the of in on at by with from under over above below near behind between among before after through into to for during against across around along and or as like while where who which that against " +
  "в во на с со у из от под над за перед при около возле через по к ко для до среди между вокруг вдоль и или а как где который которая которое которые когда пока";

/** A sentence may begin with a place; what follows it is the main thing. */
export const PREPOSITIONS =
  "in on at under over above near behind between among during across " +
  "в во на под над за перед при около возле среди между";

/** Russian nouns that end like adjectives. */
export const NOUNS_LIKE_ADJECTIVES =
  "животное животные насекомое насекомые мороженое пирожное портной часовой часовые ковбой герой бой рой гений дым змей музей трамвай чай край рай клей хоккей воробей муравей соловей улей ручей";
