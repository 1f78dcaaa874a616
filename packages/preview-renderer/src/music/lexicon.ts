/** The words of music, Russian and English: `рок` is that word alone, `гитар*` every word that begins so. */
export const STYLE_WORDS = {
  pop: "pop popular disco dance-pop поп попса попсов* диско эстрад* хит",
  rock: "rock rocknroll punk grunge indie blues блюз* рок рока роком роке рок-н-ролл панк* гранж инди",
  hip_hop: "hip hop hiphop rap trap drill rapper хип хоп хип-хоп рэп* реп трэп* трап дрилл бит биты",
  electronic:
    "electronic* edm techno house trance synthwave dubstep club rave dnb chiptune электрон* техно хаус транс клубн* дабстеп рейв синтвейв*",
  jazz: "jazz* swing bebop bossa nova funk* джаз* свинг* босса нова фанк*",
  classical:
    "classical classic lullab* nocturne* baroque symphon* sonata waltz opera orchestral колыбельн* ноктюрн* классик* классическ* барокко симфон* соната вальс* опер*",
  ambient: "ambient drone meditat* newage spa эмбиент* амбиент* медитат* медитац* дроун релакс*",
  folk: "folk country bluegrass celtic ballad* bard фолк* кантри народн* бардов* бард баллад* кельтск* романс*",
  metal: "metal metalcore thrash deathcore doom hardcore метал метала металл металкор* треш хардкор* дум",
  lofi: "lofi lo-fi lo fi chillhop chill лоуфай лофай ло-фай лоу чилл*",
  cinematic:
    "cinematic soundtrack trailer film score movie epic кинематограф* саундтрек* трейлер* кино фильм* эпик* эпич*",
  chanson: "chanson shanson cabaret шансон* кабаре блатн* дворов*",
} as const;

export const MOOD_WORDS = {
  sad: "sad* melanchol* lonely loneliness tears crying grief sorrow* nostalg* heartbreak грустн* грусть грусти печаль* печальн* тоск* слез* одинок* одиночеств* ностальг* плач* меланхол* разлук*",
  happy:
    "happy happi* joy* cheerful fun sunny upbeat positive party celebrat* весел* радост* радуе* счаст* позитив* празднич* праздник* солнечн* задорн* бодр*",
  calm: "calm quiet peaceful serene relax* gentle soft lullaby sleep* tender спокой* тих* мирн* нежн* мягк* расслаб* колыбельн* умиротвор* безмятеж*",
  dark: "dark gloomy scary horror ominous evil gothic sinister мрачн* темн* страшн* зловещ* готич* жутк* тревож*",
  fierce:
    "aggressive angry rage heavy brutal powerful energetic intense driving агрессив* злой злая злое злую злость злоб* ярост* тяжел* мощн* энергич* драйв* жестк* бешен*",
  grand:
    "epic heroic majestic triumph* grand hero* эпич* эпик* героич* величеств* торжеств* победн* грандиозн*",
  dreamy:
    "dreamy dream dreams ethereal floating space cosmic magic* мечтат* мечт* воздушн* космич* космос* волшебн* сказочн*",
  romantic: "romantic love lovely romance романтич* любов* любви люблю влюбл*",
} as const;

export const TEMPO_WORDS = {
  fast: "fast quick rapid speed* uptempo energetic racing быстр* скорост* стремительн* энергич* ритмичн* подвижн*",
  slow: "slow* lullab* downtempo колыбельн* медлен* неспеш* тягуч* протяжн* неторопл*",
} as const;
