/** The words of edits, Russian and English, in the notation of the picture's lexicon. */
export const STEPS = {
  grey: "чб чернобел* grayscale greyscale monochrome монохром* обесцвет* desaturate*",
  sepia: "sepia сепи*",
  night: "night nighttime ночь ночи ночью ночной ночную ночным ночное",
  brighter: "brighter brighten lighter lighten ярче светлее осветли* посветлее поярче",
  darker: "darker darken темнее затемни* потемнее",
  warmer: "warmer warm теплее потеплее",
  colder: "colder cooler cold холоднее похолоднее прохладнее",
  blur: "blur blurry blurred размой размыть размыто* размытую размытым заблюр* блюр",
  mirror: "mirror mirrored flip flipped зеркал* отзеркал* отрази* отраз*",
  square: "square crop cropped квадрат* обреж* обрез* кадрир*",
  winter: "winter* зима зиму зимы зимой зимн*",
  snow: "snow snowy snowing snowfall снег снега снегом снежн* заснеж* снегопад*",
  rain: "rain rainy raining дождь дождя дождем дождлив*",
} as const;

/** Words that say where a text stands, and nothing else. */
export const TEXT_WORDS =
  "text texts caption* title* inscription* lettering word words write says saying letters надпис* текст* напиш* написать подпиш* подпис* слово слова словами фраз* буквами";

/** What an edit says besides its steps. */
export const FILLERS =
  "make turn combine merge same but change convert transform into to it this that these those the a an in of on at as with for from please picture pictures image images photo photos photograph photography painting drawing art version style colours colors color colour tone tones look effect filter apply add put give set be is let and then more less bit little slightly much very all whole everything horizontally horizontal collage grid shape format bottom top below above falling " +
  "сделай* объедини* собери* нарисуй* то же отражение отражени* арт из них них сделать сделайте преврати* переведи* измени* примени* добавь добавьте наложи* поставь пусть будет было чтобы был была шел идет пошел падает это эту этот эти его ее их фото фотку фотки фотография фотографию фотографии фотографий снимок снимки картинк* картина картину картин* изображени* рисунок рисунком рисунк* кадр кадра мне мое мою нам пожалуйста в во на до из по к с со и а потом затем еще более менее чуть чуточку немного немножко слегка очень сильно сильнее намного все весь всю целиком стил* стиле цвет* тон* тона фильтр* эффект* вариант* верси* горизонтал* коллаж* сетк* формат* внизу снизу сверху вверху краск* красками свет света светом время";
