language-own-name = Русский

## $atBot: в личном чате пусто; в группе @имя бота: только команды с ним наверняка доходят до бота

## Меню команд
command-start = Что умеет этот бот
command-image = Создать картинку
command-video = Создать видео
command-music = Создать песню
command-balance = Сколько осталось на балансе
command-language = Выбрать язык
command-help = Как это работает
command-cancel = Отменить текущую карточку
command-credit = Пополнить баланс
command-debit = Списать с баланса

## Приветствие и справка
start-hello = Здравствуйте, { $name }! Я создаю картинки, видео и музыку по вашим словам.
start-how =
    Пришлите описание картинки или фото, которое нужно изменить, либо начните с команды /image, /video или /music. Цену вы видите до оплаты, а готовый результат придёт прямо сюда.
start-how-group =
    Напишите мне так: /image{ $atBot } рыжая лиса в снегу. Или начните с /video{ $atBot } либо /music{ $atBot }. Цену вы видите до оплаты, платите со своего баланса, а готовый результат придёт прямо сюда.
start-balance = Ваш баланс: <b>{ $balance }</b>
help-text =
    <b>Как это работает</b>

    1. Выберите, что создать: /image, /video или /music. Чтобы начать картинку, можно просто прислать описание или фото.
    2. Настройте всё кнопками карточки. Фото, альбомы, картинки файлом и ссылки становятся образцами или кадрами видео.
    3. Нажмите ✅: вы платите ровно столько, сколько написано на кнопке.
help-refund = Если что-то не получится, деньги за это вернутся.
help-commands =
    /image – создать картинку
    /video – создать видео
    /music – создать песню
    /balance – сколько осталось на балансе
    /keys – ключи API вашего счёта
    /language – выбрать язык
    /cancel – отменить текущую карточку
help-text-group =
    <b>Как это работает в группе</b>

    1. Выберите, что создать: /image{ $atBot }, /video{ $atBot } или /music{ $atBot }. Описание можно дописать в том же сообщении.
    2. Настройте всё кнопками своей карточки: никто другой этого не может. Отвечайте прямо на сообщение с моим вопросом; фото присылайте ответом на любое моё сообщение.
    3. Нажмите ✅: с вашего баланса спишется ровно столько, сколько написано на кнопке.
help-group-mentions = Сообщение или подпись к фото, где первым стоит { $atBot }, тоже начинает картинку: { $atBot } рыжая лиса в снегу.
help-group-privacy = В группе до меня наверняка доходят команды с моим именем и ответы на мои сообщения.
help-commands-group =
    Баланс и ключи API я показываю только в личном чате.

    /image{ $atBot } – создать картинку
    /video{ $atBot } – создать видео
    /music{ $atBot } – создать песню
    /language{ $atBot } – выбрать язык
    /cancel{ $atBot } – отменить свою карточку
help-admins =
    Для администраторов:
    /credit – пополнить баланс
    /debit – списать с баланса
    /balance КТО – сколько осталось у человека, по id или @имени
help-contact = Остались вопросы? Напишите { $contact }.
balance-now = Ваш баланс: <b>{ $balance }</b>
balance-id = Ваш id: <code>{ $id }</code>
balance-own-only = Показать могу только ваш собственный баланс.
balance-private-only = Баланс показываю только вам: отправьте /balance в личном чате со мной.
language-choose = На каком языке мне говорить?
language-chosen = Теперь я говорю по-русски.
not-allowed = Извините, этот бот работает только для приглашённых. Попросите владельца бота добавить вас.
anonymous-admin = Я не вижу, кто пишет от имени группы, поэтому не знаю, чей это баланс. Напишите мне от своего имени.

## Карточки
models-title-image = Какая модель нарисует картинку?
models-title-video = Какая модель снимет видео?
models-title-music = Какая модель напишет песню?
models-price-from = от { $price }
models-need-photo = 📷 нужно фото
models-page = { $page } из { $pages }
local-preview = (демо)
card-price = Цена: <b>{ $price }</b>
card-price-unknown = Цена с такими настройками неизвестна. Измените их или выберите другую модель.
card-balance = Баланс: { $balance }
need-prompt-image = ✍️ Пришлите описание картинки следующим сообщением.
need-prompt-video = ✍️ Пришлите описание видео следующим сообщением.
need-description = ✍️ Пришлите следующим сообщением, о чём будет песня и как она должна звучать.
need-lyrics = ✍️ Пришлите текст песни следующим сообщением.
need-text = ✍️ Пришлите следующим сообщением: { $name }
need-text-group = ✍️ { $name }: ответьте на мой вопрос.
need-longer =
    { $min ->
        [one] ✍️ { $name }: нужен хотя бы { $min } символ. Пришлите текст подлиннее.
        [few] ✍️ { $name }: нужно хотя бы { $min } символа. Пришлите текст подлиннее.
       *[other] ✍️ { $name }: нужно хотя бы { $min } символов. Пришлите текст подлиннее.
    }
need-shorter =
    { $max ->
        [one] ✍️ { $name }: эта модель принимает до { $max } символа. Пришлите текст короче или выберите другую модель.
        [few] ✍️ { $name }: эта модель принимает до { $max } символов. Пришлите текст короче или выберите другую модель.
       *[other] ✍️ { $name }: эта модель принимает до { $max } символов. Пришлите текст короче или выберите другую модель.
    }
need-start-frame-url = 🖼 Пришлите фото или ссылку: с этого кадра начнётся видео.
need-reference-urls = 🖼 Пришлите фото или ссылки: видео получится по этим образцам.
need-custom-style-or-style-preset-id = ☝️ Выберите стиль или опишите свой.
need-pictures = 🖼 Нужно фото: { $names }. Пришлите его или ссылку.
need-setting = ☝️ Выберите кнопками ниже: { $names }.
card-more = ⚙️ { $settings }
more-title = ⚙️ Ещё настройки:
choose-value = { $name }:
button-generate = Создать · { $price }
button-write = ✍️ { $name }
button-write-prompt = ✍️ Описание
button-write-description = ✍️ Описание
button-write-lyrics = ✍️ Слова
button-models = 🎨 Модель
button-more = ⚙️ Ещё
button-as-image = 🎨 Картинка
button-as-video = 🎬 Видео
button-back = ‹ Назад
button-cancel = ✖️ Отмена
button-clear = 🧹 Очистить
button-remove = 🗑 Убрать
button-remove-all = 🗑 Убрать все
button-go-on = Вернуться к карточке
button-original =
    { $type ->
        [image] { $count ->
            [1] 📄 Оригинал
           *[other] 📄 Оригиналы
        }
       *[other] { $count ->
            [1] 📄 Файлом
           *[other] 📄 Файлами
        }
    }
button-link = 🔗 Новая ссылка
button-again = 🔁 Ещё раз
ask-prompt-image = Что должно быть на картинке?
ask-prompt-video = Что должно происходить в видео?
ask-description = О чём будет песня и как она должна звучать?
ask-lyrics = Какой текст у песни?
ask-text = <b>{ $name }</b>?
ask-by-message = Пришлите ответ сообщением или выйдите командой /cancel.
ask-by-reply = Ответьте на это сообщение или выйдите командой /cancel{ $atBot }.
prompt-no-text = Здесь нужны слова: пришлите текст или выйдите командой /cancel{ $atBot }.
prompt-empty = В этом сообщении нет слов. Пришлите текст или выйдите командой /cancel{ $atBot }.
prompt-too-long =
    { $max ->
        [one] { $name }: помещается до { $max } символа. Пришлите текст короче.
        [few] { $name }: помещается до { $max } символов. Пришлите текст короче.
       *[other] { $name }: помещается до { $max } символов. Пришлите текст короче.
    }
prompt-too-short =
    { $min ->
        [one] { $name }: нужен хотя бы { $min } символ. Пришлите текст подлиннее.
        [few] { $name }: нужно хотя бы { $min } символа. Пришлите текст подлиннее.
       *[other] { $name }: нужно хотя бы { $min } символов. Пришлите текст подлиннее.
    }
cancelled = Отменено. Ничего не списано.
cancel-too-late = Заказ уже оплачен и выполняется, отменить его нельзя.
nothing-to-cancel = Отменять нечего. Начните с команды /image{ $atBot }, /video{ $atBot } или /music{ $atBot }.

## Настройка параметра
page-text = ✍️ Пришлите текст следующим сообщением.
page-text-max = ✍️ Пришлите текст следующим сообщением, не длиннее { $max } символов.
page-number-any = 🔢 Выберите значение или пришлите число.
page-number-whole = 🔢 Выберите значение или пришлите целое число.
page-number-any-between = 🔢 Выберите значение или пришлите число от { $min } до { $max }.
page-number-whole-between = 🔢 Выберите значение или пришлите целое число от { $min } до { $max }.
page-picture = 🖼 Пришлите фото, картинку файлом (PNG, JPEG или WebP до 20 МБ) или ссылку, которая начинается с https://.
page-pictures =
    { $max ->
        [1] 🖼 Пришлите фото, картинку файлом (PNG, JPEG или WebP до 20 МБ) или ссылку, которая начинается с https://.
       *[other] 🖼 Пришлите фото, альбомы, картинки файлами (PNG, JPEG или WebP до 20 МБ) или ссылки, которые начинаются с https://. Помещается до { $max } фото.
    }
page-by-reply = Отправьте это ответом на мой вопрос.

## Изображения
picture-of-chat = фото { $number }
pictures-given = 🖼 Приложено фото: { $count }.
pictures-idle = 🖼 Эта модель рисует без фото, ваши не используются. Чтобы они пригодились, выберите другую модель.
pictures-idle-video = 🖼 Эта модель снимает без фото, ваши не используются. Чтобы они пригодились, выберите другую модель.
pictures-idle-music = 🖼 Для музыки фото не нужны. Сделать из них картинку или видео?
pictures-cut =
    { $max ->
        [1] 🖼 Взято первое фото из { $count }: больше эта модель не берёт.
       *[other] 🖼 Взяты первые { $max } фото из { $count }: больше эта модель не берёт.
    }
pictures-cut-more = Больше берут: { $names }.
unused-lyrics = ☝️ Включено «Только музыка», поэтому слова песни не прозвучат.
pictures-full = Помещается только { $max } фото. Сначала уберите одно на карточке.
picture-too_large = Это изображение слишком большое: я принимаю файлы до 20 МБ и 64 мегапикселей. Пришлите его как фото или уменьшите.
picture-gone = У Telegram больше нет этого изображения. Пришлите его ещё раз.
picture-unreachable = Не удалось получить изображение из Telegram, ничего не списано. Попробуйте ещё раз через минуту.
picture-not_picture = Этот файл не подходит: я принимаю изображения как фото или файлом PNG, JPEG или WebP.
picture-too_many = Вы прислали очень много изображений: сохранить ещё одно сегодня не получится, ничего не списано. Попробуйте ещё раз завтра.
picture-unkept = Не удалось сохранить изображение, ничего не списано. Попробуйте ещё раз через несколько минут.
link-insecure = Ссылка на изображение должна начинаться с https://. Пришлите другую ссылку или само изображение.
link-malformed = Это не похоже на полную ссылку. Пришлите ссылку на изображение целиком или само изображение.
link-wanted = { $name }: пришлите фото, файл или ссылку, которая начинается с https://. Кнопка «‹ Назад» на карточке оставит всё как есть.

## Параметры
parameter-prompt = Описание
parameter-aspect-ratio = Формат
parameter-resolution = Качество
parameter-generation-mode = Режим
parameter-count = Картинок
parameter-reference-urls = Фото
parameter-duration-sec = Длительность
parameter-video-input-mode = Из чего
parameter-video-speed-mode = Режим
parameter-sound = Звук
parameter-start-frame-url = Первый кадр
parameter-end-frame-url = Последний кадр
parameter-mode = Режим
parameter-title = Название
parameter-description = Описание
parameter-lyrics = Текст песни
parameter-style-preset-id = Стиль
parameter-custom-style = Свой стиль
parameter-make-instrumental = Вокал
parameter-style-weight = Сила стиля
parameter-weirdness-constraint = Необычность
parameter-audio-weight = Сила звучания
amount-duration-sec = { $value } с
value-aspect-ratio-auto = авто
value-generation-mode-fast = быстро
value-generation-mode-quality = качественно
value-video-input-mode-text = только текст
value-video-input-mode-frames = из фото
value-video-input-mode-references = по образцам
value-video-speed-mode-standard = качественно
value-video-speed-mode-fast = быстро и дешевле
value-mode-description = по описанию
value-mode-lyrics = по тексту песни
value-style-preset-id-pop = поп
value-style-preset-id-rock = рок
value-style-preset-id-hip-hop = хип-хоп
value-style-preset-id-electronic = электронная
value-style-preset-id-jazz = джаз
value-style-preset-id-classical = классика
value-style-preset-id-ambient = эмбиент
value-style-preset-id-folk = фолк
value-style-preset-id-metal = метал
value-style-preset-id-lofi = лоу-фай
value-style-preset-id-cinematic = кино
value-style-preset-id-chanson = шансон
value-make-instrumental-yes = нет, только музыка
value-make-instrumental-no = да
setting-make-instrumental-yes = Только музыка
setting-make-instrumental-no = Вокал: да
level-low = мало
level-medium = средне
level-high = много
value-yes = да
value-no = нет

## Оплата
pay-accepted = Оплачено. Уже в работе.
money-missing = Не хватает { $missing }.
money-missing-group = На вашем балансе не хватает денег. Посмотреть его можно в личном чате со мной по команде /balance.
money-ask = Чтобы пополнить баланс, напишите { $contact }.
money-ask-nobody = Чтобы пополнить баланс, напишите владельцу бота.
money-ask-uncertain = Можно спросить { $contact }.
pay-price-changed = Цена изменилась, поэтому ничего не списано. Посмотрите на новую цену и подтвердите ещё раз.
pay-unavailable = Сейчас заказы не принимаются, ничего не списано. Попробуйте ещё раз через несколько минут.
pay-unavailable-storage =
    Сейчас нет места для новых файлов, поэтому ничего не списано. Попробуйте ещё раз через несколько минут.
pay-waiting =
    Это займёт больше времени: сейчас нет места, чтобы записать ваш заказ. Не заказывайте повторно, я сообщу, что с ним стало.
pay-uncertain =
    Неизвестно, принят ли ваш заказ, поэтому повторно он отправлен не будет. Администратор разберётся.
refused-prompt_too_long = Описание слишком длинное для этой модели. Сократите его и подтвердите ещё раз.
refused-prompt_required = Не хватает описания. Пришлите его и подтвердите ещё раз.
refused-model_disabled = Эта модель сейчас выключена. Выберите другую.
refused-model_not_supported_via_api = Здесь эта модель не работает. Выберите другую.
refused-bad_model = Этой модели больше нет. Выберите другую.
refused-bad_video_model = Этой модели больше нет. Выберите другую.
refused-bad_music_model = Этой модели больше нет. Выберите другую.
refused-bad_aspect_ratio = Эта модель не делает такой формат. Выберите другой.
refused-bad_duration_sec = Эта модель не делает такую длительность. Выберите другую.
refused-bad_generation_mode = У этой модели нет такого режима. Выберите другой.
refused-reference_required = Не хватает фото. Пришлите его или ссылку и подтвердите ещё раз.
refused-bad_reference_url = Одна из ссылок на изображения неправильная. Уберите её или пришлите другую.
refused-reference_url_must_be_https = Ссылка на изображение должна начинаться с https://. Ссылки на мои собственные файлы действуют только час. Пришлите само изображение или другую ссылку.
refused-reference_url_not_allowed = Одна из ссылок ведёт в закрытую сеть. Пришлите само изображение или ссылку, которую может открыть каждый.
refused-bad_music_description = Описание песни слишком короткое. Добавьте слов и подтвердите ещё раз.
refused-bad_music_lyrics = Текст песни слишком короткий. Добавьте строк и подтвердите ещё раз.
refused-bad_music_style = Песне со своим текстом нужен стиль. Выберите его или опишите свой и подтвердите ещё раз.
refused-payload_too_large = Запрос слишком большой. Сократите текст или уберите часть изображений.
refused-other = Модель не принимает такой запрос, ничего не списано. Измените его или выберите другую модель.

## Ход работы
status-queued = ⏳ В очереди…
status-generating =
    { $type ->
        [video] 🎬 Снимаю… { $elapsed }
        [music] 🎵 Сочиняю… { $elapsed }
       *[image] 🎨 Рисую… { $elapsed }
    }
status-ready = Готово { $ready } из { $count }
status-done = ✅ Готово
status-failed = ❌ Не получилось

## Результаты
caption-cost = { $cost }
caption-left = осталось { $balance }
summary-ready =
    { $type ->
        [video] { $count ->
            [1] Видео готово.
           *[other] Готово видео: { $ready } из { $count }.
        }
        [music] { $count ->
            [1] Трек готов.
           *[other] Готово треков: { $ready } из { $count }.
        }
       *[image] { $count ->
            [1] Картинка готова.
           *[other] Готово картинок: { $ready } из { $count }.
        }
    }
summary-failed = К сожалению, не получилось.
failed-one =
    { $type ->
        [video] Видео { $number }: { $reason }
        [music] Песня { $number }: { $reason }
       *[image] Картинка { $number }: { $reason }
    }
failed-refund = На баланс вернулось { $refund }.
failed-kept = Деньги за это не возвращаются: { $sum }.
result-gone =
    { $type ->
        [video] Видео больше не хранится, отправить его нельзя.
        [music] Трек { $number } больше не хранится, отправить его нельзя.
       *[image] Картинка { $number } больше не хранится, отправить её нельзя.
    }
result-too-large =
    { $type ->
        [video] Видео готово, но весит { $size } МБ, а через Telegram я могу отправить не больше 48 МБ.
        [music] Трек { $number } готов, но весит { $size } МБ, а через Telegram я могу отправить не больше 48 МБ.
       *[image] Картинка { $number } готова, но весит { $size } МБ, а через Telegram я могу отправить не больше 48 МБ.
    }
result-not-taken =
    { $type ->
        [video] Видео готово, но Telegram раз за разом обрывает его загрузку.
        [music] Трек { $number } готов, но Telegram раз за разом обрывает его загрузку.
       *[image] Картинка { $number } готова, но Telegram раз за разом обрывает её загрузку.
    }
result-link = <a href="{ $link }">Скачайте файл здесь</a>, ссылка действует час.
result-ask = Файл не потерян: его может передать { $contact }.
result-ask-nobody = Файл не потерян: его может передать владелец бота.
result-smaller =
    { $type ->
        [video] Видео покороче или в качестве пониже придёт прямо сюда.
        [music] Трек покороче придёт прямо сюда.
       *[image] Картинка в качестве пониже придёт прямо сюда.
    }
failure-timeout =
    { $type ->
        [video] Работа шла слишком долго и была остановлена. Попробуйте ещё раз или выберите видео покороче или качество пониже.
        [music] Работа шла слишком долго и была остановлена. Попробуйте ещё раз.
       *[image] Работа шла слишком долго и была остановлена. Попробуйте ещё раз или выберите качество пониже.
    }
failure-memory =
    { $type ->
        [video] Не хватило памяти. Попробуйте видео покороче или в качестве пониже.
        [music] Не хватило памяти. Попробуйте ещё раз.
       *[image] Не хватило памяти. Попробуйте ещё раз с качеством пониже.
    }
failure-storage = Готовый файл не удалось сохранить. Попробуйте ещё раз позже.
failure-reference = Исходное фото не удалось прочитать. Попробуйте с другим.
failure-refused = Модель отказалась от такого описания. Попробуйте другие слова.
failure-provider = Модель не справилась. Попробуйте ещё раз.
delivery-waits-in-private = { $name }, всё готово, но отправить файлы в эту группу не получается. Напишите мне /start в личном чате, и они придут туда.
delivery-failed = Файлы готовы, но Telegram их не принимает.
delivery-failed-ask = Они не потеряны: их может передать { $contact }.
delivery-failed-ask-nobody = Они не потеряны: их может передать владелец бота.
lost-refund = Деньги не пропали: на баланс вернулось { $refund }.
delivery-offer =
    { $count ->
        [1] Ваш заказ готов, но связаться с вами не получалось. Файлы ещё хранятся.
        [one] Готов { $count } ваш заказ, но связаться с вами не получалось. Файлы ещё хранятся.
        [few] Готовы { $count } ваших заказа, но связаться с вами не получалось. Файлы ещё хранятся.
       *[other] Готовы { $count } ваших заказов, но связаться с вами не получалось. Файлы ещё хранятся.
    }
button-deliver =
    { $count ->
        [1] 📥 Прислать сюда
       *[other] 📥 Прислать все сюда
    }
delivery-coming = Отправляю…
delivery-over = Отправлять больше нечего.
originals-coming = Отправляю в полном качестве…
originals-gone = Оригинал больше не хранится. Можно создать такой же ещё раз.
again-pictures-gone = Картинки этого заказа больше не хранятся. Если они нужны и в новом, пришлите их ещё раз.
again-model-gone = Этой модели больше нет. Выберите другую командой /image{ $atBot }, /video{ $atBot } или /music{ $atBot }.

## Нажатия
tap-old-card = Эта карточка устарела. Используйте самую новую или начните с /image{ $atBot }, /video{ $atBot } или /music{ $atBot }.
tap-not-yours = Это чужие кнопки. Отправьте мне свою команду, например /image{ $atBot }.
tap-unknown = Эта кнопка больше не работает. Начните с /image{ $atBot }, /video{ $atBot } или /music{ $atBot }.
tap-draft-ordered = Это уже оплачено и в работе.
tap-draft-cancelled = Эта карточка отменена. Начните новую командой /image{ $atBot }, /video{ $atBot } или /music{ $atBot }.
tap-draft-replaced = Есть карточка новее. Используйте её или начните с /image{ $atBot }, /video{ $atBot } или /music{ $atBot }.

## Ключи API
command-keys = Ключи API вашего счёта
keys-title = Ключи API
keys-about = Запросы с ключом оплачиваются с вашего баланса. Адрес HTTP API: <code>{ $address }</code>. Никому не передавайте ключ.
keys-none = Ключей пока нет.
keys-private-only = Ключи показываю только вам: отправьте /keys в личном чате со мной.
keys-too-many =
    { $count ->
        [one] У вас { $count } ключ, больше нельзя. Сначала отзовите его.
        [few] У вас { $count } ключа, больше нельзя. Сначала отзовите один из них.
       *[other] У вас { $count } ключей, больше нельзя. Сначала отзовите один из них.
    }
key-coming = 🔑 Сейчас покажу новый ключ…
key-not-shown = Новый ключ не удалось показать, поэтому он сразу отозван. Попробуйте ещё раз.
key-created =
    Новый ключ API, показываю только один раз:

    <code>{ $key }</code>

    Храните его на своём сервере. Через { $minutes ->
        [one] { $minutes } минуту
        [few] { $minutes } минуты
       *[other] { $minutes } минут
    } я удалю это сообщение.
key-revoked = Ключ отозван и больше не действует.
key-never-used = ещё не использовался
key-used-minutes = использован { $minutes } мин назад
key-used-hours = использован { $hours } ч назад
key-used-days =
    { $days ->
        [one] использован { $days } день назад
        [few] использован { $days } дня назад
       *[many] использован { $days } дней назад
    }
keys-revoke-ask = Отозвать ключ <code>{ $key }</code>? Программы с этим ключом сразу перестанут работать.
button-new-key = ➕ Новый ключ
button-copy-key = 📋 Скопировать ключ
button-key-saved = ✔️ Сохранено, удалить
button-revoke-key = 🗑 Отозвать

## Всё остальное
unknown-command = Такой команды я не знаю. Что я умею, покажет /help{ $atBot }.
mention-empty = Что создать? Напишите это в том же сообщении, например: /image{ $atBot } рыжая лиса в снегу. Или начните с /video{ $atBot } либо /music{ $atBot }.
update-given-up = У меня что-то сломалось, и ваше последнее сообщение обработать не удалось. Пришлите его ещё раз; если вы платили, сначала проверьте /balance.
correction-given-up =
    У меня что-то сломалось, и неизвестно, выполнено ли это. Прежде чем повторять, проверьте баланс этого человека:
    { $commands }
fault-try-again = У меня что-то сломалось. Попробуйте ещё раз через несколько минут.
unknown-message = Я понимаю текст, фото и картинки файлом, остальное использовать не могу. Опишите словами, что нужно, или загляните в /help.

## Изменение баланса администраторами
usage-credit =
    Как писать: /credit{ $atBot } КОМУ СУММА [причина]
    КОМУ – id или @имя; в ответ на сообщение человека можно не писать. СУММА в рублях, больше нуля, не больше двух знаков после запятой.
    Пример: /credit{ $atBot } @anna 150 за плакат
usage-debit =
    Как писать: /debit{ $atBot } КОМУ СУММА [причина]
    КОМУ – id или @имя; в ответ на сообщение человека можно не писать. СУММА в рублях, больше нуля, не больше двух знаков после запятой.
    Пример: /debit{ $atBot } @anna 150 начислено дважды
usage-balance =
    Как писать: /balance – ваш баланс, /balance КТО – баланс человека, по id или @имени.
    Пример: /balance @anna
admin-own-words = Это написали не вы сами: сообщение переслано или составлено другим ботом. Ничего не сделано. Если всё верно, напишите команду сюда сами.
fault-person = «{ $word }» – не id и не @имя.
fault-amount = «{ $word }» – не сумма.
fault-amount_missing = Не хватает суммы.
fault-amount_split = «{ $word }» – не сумма: пишите её без пробелов.
fault-two_meanings = Это ответ на чужое сообщение, и «{ $word }» может быть и id, и суммой. Ничего не изменено: отправьте команду без ответа, начав с id или @имени.
person-stranger = Я не знаю этого человека. Пусть сначала отправит мне /start. Того, кто сменил @имя, можно найти по id: его каждому показывает /balance.
person-renamed = Имя { $name } больше не принадлежит человеку, которого я знаю под ним. Ничего не сделано. Узнайте у человека его id (его показывает /balance) и укажите id.
person-unchecked = Сейчас я не могу проверить, чьё это имя: { $name }. Ничего не сделано. Укажите id человека (его показывает /balance) или попробуйте позже.
balance-of = { $person }: <b>{ $balance }</b>
balance-none = Счёта ещё нет: { $person }.
correction-too-large = Ничего не изменено: на балансе только { $balance }. Чей баланс: { $person }.
correction-too-large-group = Ничего не изменено: на балансе нет такой суммы. Чей баланс: { $person }.
corrected-credit = Начислено { $sum }. Кому: { $person }.
corrected-debit = Списано { $sum }. У кого: { $person }.
corrected-balance = Баланс: { $balance }
correction-untold = Сообщить не удалось: человек не начал чат со мной или заблокировал меня.
told-credit = Вам начислено <b>{ $sum }</b>. Ваш баланс: { $balance }
told-debit = С вашего баланса списано <b>{ $sum }</b>. Осталось: { $balance }
told-reason = Причина: { $reason }
