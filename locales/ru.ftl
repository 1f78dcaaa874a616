language-own-name = Русский

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
    Начните с команды /image, /video или /music либо напишите мне, что должно быть на картинке: @{ $bot } рыжая лиса в снегу. Цену вы видите до оплаты, платите со своего баланса, а готовый результат придёт прямо сюда.
start-balance = Ваш баланс: <b>{ $balance }</b>
help-text =
    <b>Как это работает</b>

    1. Выберите, что создать: /image, /video или /music. Описание или фото без команды начинает картинку.
    2. Настройте всё кнопками карточки. Фото, альбомы, картинки файлом и ссылки становятся референсами или кадрами видео.
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

    1. Выберите, что создать: /image, /video или /music. Сообщение или фото с подписью, которая начинается с @{ $bot }, начинает картинку.
    2. Настройте всё кнопками своей карточки: никто другой этого не может. На мои вопросы отвечайте ответом на сообщение, фото тоже присылайте ответом на любое моё сообщение.
    3. Нажмите ✅: с вашего баланса спишется ровно столько, сколько написано на кнопке.
help-commands-group =
    Баланс и ключи API я показываю только в личном чате.

    /image – создать картинку
    /video – создать видео
    /music – создать песню
    /language – выбрать язык
    /cancel – отменить свою карточку
help-admins =
    Для администраторов:
    /credit – пополнить баланс
    /debit – списать с баланса
help-contact = Остались вопросы? Напишите { $contact }.
balance-now = Ваш баланс: <b>{ $balance }</b>
balance-private-only = Баланс показываю только вам: отправьте /balance в личном чате со мной.
language-choose = На каком языке мне говорить?
language-chosen = Теперь я говорю по-русски.
not-allowed = Извините, этот бот работает только для приглашённых. Попросите владельца бота добавить вас.
anonymous-admin = Я не вижу, кто пишет от имени группы, поэтому не знаю, чей это баланс. Напишите мне от своего имени.

## Карточки
models-title-image = Какая модель нарисует картинку?
models-title-video = Какая модель снимет видео?
models-title-music = Какая модель напишет песню?
models-price-from = от { $price }
models-page = { $page } из { $pages }
local-preview = (локальный предпросмотр)
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
        [one] ✍️ { $name }: нужен хотя бы { $min } символ. Пришлите текст подлиннее.
        [few] ✍️ { $name }: нужно хотя бы { $min } символа. Пришлите текст подлиннее.
       *[other] ✍️ { $name }: нужно хотя бы { $min } символов. Пришлите текст подлиннее.
    }
need-shorter =
    { $max ->
        [one] ✍️ { $name }: эта модель принимает до { $max } символа. Пришлите текст короче или выберите другую модель.
        [few] ✍️ { $name }: эта модель принимает до { $max } символов. Пришлите текст короче или выберите другую модель.
       *[other] ✍️ { $name }: эта модель принимает до { $max } символов. Пришлите текст короче или выберите другую модель.
    }
need-pictures = 🖼 Не хватает изображения ({ $names }). Пришлите фото или ссылку.
need-setting = ☝️ Осталось выбрать кнопками ниже: { $names }.
choose-value = { $name }:
button-generate = Создать · { $price }
button-write = ✍️ { $name }
button-models = 🎨 Другая модель
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
ask-by-reply = Ответьте на это сообщение или выйдите командой /cancel.
prompt-no-text = Здесь нужны слова: пришлите текст или выйдите командой /cancel.
prompt-empty = В этом сообщении нет слов. Пришлите текст или выйдите командой /cancel.
prompt-too-long =
    { $max ->
        [one] { $name }: помещается до { $max } символа. Пришлите текст короче.
        [few] { $name }: помещается до { $max } символов. Пришлите текст короче.
       *[other] { $name }: помещается до { $max } символов. Пришлите текст короче.
    }
prompt-too-short =
    { $min ->
        [one] { $name }: нужен хотя бы { $min } символ. Пришлите текст подлиннее.
        [few] { $name }: нужно хотя бы { $min } символа. Пришлите текст подлиннее.
       *[other] { $name }: нужно хотя бы { $min } символов. Пришлите текст подлиннее.
    }
cancelled = Отменено. Ничего не списано.
cancel-too-late = Заказ уже оплачен и выполняется, отменить его нельзя.
nothing-to-cancel = Отменять нечего. Начните с команды /image, /video или /music.

## Настройка параметра
page-text = ✍️ Пришлите текст следующим сообщением.
page-text-max = ✍️ Пришлите текст следующим сообщением, не длиннее { $max } символов.
page-number-any = 🔢 Выберите значение или пришлите число.
page-number-whole = 🔢 Выберите значение или пришлите целое число.
page-number-any-between = 🔢 Выберите значение или пришлите число от { $min } до { $max }.
page-number-whole-between = 🔢 Выберите значение или пришлите целое число от { $min } до { $max }.
page-picture = 🖼 Пришлите фото, картинку файлом (PNG, JPEG или WebP до 20 МБ) или ссылку, которая начинается с https://.
page-pictures =
    { $max ->
        [one] 🖼 Пришлите референсы: фото, файлы (PNG, JPEG или WebP до 20 МБ) или ссылки, которые начинаются с https://. Помещается до { $max } референса.
       *[other] 🖼 Пришлите референсы: фото, альбомы, файлы (PNG, JPEG или WebP до 20 МБ) или ссылки, которые начинаются с https://. Помещается до { $max } референсов.
    }
page-by-reply = Ответьте этим на мой вопрос.

## Изображения
picture-of-chat = изображение из этого чата
pictures-given =
    { $count ->
        [one] 🖼 Приложено { $count } изображение.
        [few] 🖼 Приложено { $count } изображения.
       *[other] 🖼 Приложено { $count } изображений.
    }
pictures-idle = 🖼 Эта модель не принимает изображения: ваши не используются. Чтобы они пригодились, выберите другую модель.
pictures-not-taken = Эта модель не принимает изображения. Выберите на карточке другую или начните с /image или /video.
pictures-full =
    { $max ->
        [one] Помещается только { $max } изображение. Сначала уберите одно на карточке.
        [few] Помещается только { $max } изображения. Сначала уберите одно на карточке.
       *[other] Помещается только { $max } изображений. Сначала уберите одно на карточке.
    }
picture-too_large = Это изображение слишком большое: я принимаю файлы до 20 МБ. Пришлите его как фото или уменьшите.
picture-gone = У Telegram больше нет этого изображения. Пришлите его ещё раз.
picture-unreachable = Не удалось получить изображение из Telegram, ничего не списано. Попробуйте ещё раз через минуту.
picture-not_picture = Этот файл не подходит: я принимаю изображения как фото или файлом PNG, JPEG или WebP.
picture-unkept = Не удалось сохранить изображение, ничего не списано. Попробуйте ещё раз через несколько минут.
link-insecure = Ссылка на изображение должна начинаться с https://. Пришлите другую ссылку или само изображение.
link-malformed = Это не похоже на полную ссылку. Пришлите ссылку на изображение целиком или само изображение.
link-wanted = { $name }: пришлите фото, файл или ссылку, которая начинается с https://. Кнопка «‹ Назад» на карточке оставит всё как есть.

## Параметры
parameter-prompt = Описание
parameter-aspect-ratio = Формат
parameter-resolution = Размер
parameter-generation-mode = Режим
parameter-count = Число картинок
parameter-reference-urls = Референсы
parameter-duration-sec = Длительность
parameter-video-input-mode = Основа
parameter-video-speed-mode = Скорость
parameter-sound = Звук
parameter-start-frame-url = Первый кадр
parameter-end-frame-url = Последний кадр
parameter-mode = Режим
parameter-title = Название
parameter-description = Описание
parameter-lyrics = Текст песни
parameter-style-preset-id = Стиль
parameter-custom-style = Свой стиль
parameter-make-instrumental = Без вокала
parameter-style-weight = Сила стиля
parameter-weirdness-constraint = Необычность
parameter-audio-weight = Сила звучания
amount-duration-sec = { $value } с
value-aspect-ratio-auto = авто
value-generation-mode-fast = быстро
value-generation-mode-quality = качественно
value-video-input-mode-text = текст
value-video-input-mode-frames = кадры
value-video-input-mode-references = референсы
value-video-speed-mode-standard = обычная
value-video-speed-mode-fast = быстрая
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
refused-reference_required = Не хватает изображения. Пришлите фото или ссылку и подтвердите ещё раз.
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
result-gone =
    { $type ->
        [video] Видео больше не хранится, отправить его нельзя.
        [music] Трек { $number } больше не хранится, отправить его нельзя.
       *[image] Картинка { $number } больше не хранится, отправить её нельзя.
    }
result-too-large =
    { $type ->
        [video] Видео готово, но весит { $size } МБ, а Telegram принимает от ботов не больше 50 МБ.
        [music] Трек { $number } готов, но весит { $size } МБ, а Telegram принимает от ботов не больше 50 МБ.
       *[image] Картинка { $number } готова, но весит { $size } МБ, а Telegram принимает от ботов не больше 50 МБ.
    }
result-link = <a href="{ $link }">Скачайте файл здесь</a>, ссылка действует час.
result-ask = Файл не потерян: его может передать { $contact }.
result-ask-nobody = Файл не потерян: его может передать владелец бота.
result-smaller =
    { $type ->
        [video] Видео покороче или в разрешении поменьше придёт прямо сюда.
        [music] Трек покороче придёт прямо сюда.
       *[image] Картинка размером поменьше придёт прямо сюда.
    }
failure-timeout =
    { $type ->
        [video] Работа шла слишком долго и была остановлена. Попробуйте ещё раз или выберите видео покороче или разрешение поменьше.
        [music] Работа шла слишком долго и была остановлена. Попробуйте ещё раз.
       *[image] Работа шла слишком долго и была остановлена. Попробуйте ещё раз или выберите размер поменьше.
    }
failure-memory =
    { $type ->
        [video] Не хватило памяти. Попробуйте видео покороче или в разрешении поменьше.
        [music] Не хватило памяти. Попробуйте ещё раз.
       *[image] Не хватило памяти. Попробуйте ещё раз с размером поменьше.
    }
failure-storage = Готовый файл не удалось сохранить. Попробуйте ещё раз позже.
failure-reference = Исходное изображение не удалось прочитать. Попробуйте с другим.
failure-refused = Модель отказалась от такого описания. Попробуйте другие слова.
failure-provider = Модель не справилась. Попробуйте ещё раз.
delivery-failed = Файлы готовы, но Telegram их не принимает.
delivery-failed-ask = Они не потеряны: их может передать { $contact }.
delivery-failed-ask-nobody = Они не потеряны: их может передать владелец бота.
originals-coming = Отправляю в полном качестве…
originals-gone = Оригинал больше не хранится. Можно создать такой же ещё раз.
again-pictures-gone = Картинки этого заказа больше не хранятся. Если они нужны и в новом, пришлите их ещё раз.
again-model-gone = Этой модели больше нет. Выберите другую командой /image, /video или /music.

## Нажатия
tap-old-card = Эта карточка устарела. Используйте самую новую или начните с /image, /video или /music.
tap-not-yours = Это чужие кнопки. Отправьте мне свою команду, например /image.
tap-unknown = Эта кнопка больше не работает. Начните с /image, /video или /music.
tap-draft-ordered = Это уже оплачено и в работе.
tap-draft-cancelled = Эта карточка отменена. Начните новую командой /image, /video или /music.
tap-draft-replaced = Есть карточка новее. Используйте её или начните с /image, /video или /music.

## Ключи API
command-keys = Ключи API вашего счёта
keys-title = Ключи API
keys-about = Запросы с ключом оплачиваются с этого же баланса. Адрес HTTP API: <code>{ $address }</code>. Никому не передавайте ключ.
keys-none = Ключей пока нет.
keys-private-only = Ключи показываю только вам: отправьте /keys в личном чате со мной.
keys-too-many =
    { $count ->
        [one] У вас { $count } ключ, больше нельзя. Сначала отзовите его.
        [few] У вас { $count } ключа, больше нельзя. Сначала отзовите один из них.
       *[other] У вас { $count } ключей, больше нельзя. Сначала отзовите один из них.
    }
key-coming = 🔑 Сейчас покажу новый ключ…
key-not-shown = Новый ключ не удалось показать, поэтому он сразу отозван. Попробуйте ещё раз.
key-created =
    Новый ключ API, показываю только один раз:

    <code>{ $key }</code>

    Храните его на своём сервере. Через { $minutes ->
        [one] { $minutes } минуту
        [few] { $minutes } минуты
       *[other] { $minutes } минут
    } я удалю это сообщение.
key-revoked = Ключ отозван и больше не действует.
key-never-used = ещё не использовался
key-used-minutes = использован { $minutes } мин назад
key-used-hours = использован { $hours } ч назад
key-used-days =
    { $days ->
        [one] использован { $days } день назад
        [few] использован { $days } дня назад
       *[many] использован { $days } дней назад
    }
keys-revoke-ask = Отозвать ключ <code>{ $key }</code>? Программы с этим ключом сразу перестанут работать.
button-new-key = ➕ Новый ключ
button-copy-key = 📋 Скопировать ключ
button-key-saved = ✔️ Сохранено, удалить
button-revoke-key = 🗑 Отозвать

## Всё остальное
unknown-command = Такой команды я не знаю. Что я умею, покажет /help.
mention-empty = Что создать? Напишите это после моего имени, например: @{ $bot } рыжая лиса в снегу. Или начните с команды /image, /video или /music.
fault-try-again = У меня что-то сломалось. Попробуйте ещё раз через несколько минут.
unknown-message = Я понимаю текст, фото и картинки файлом, остальное использовать не могу. Опишите словами, что нужно, или загляните в /help.

## Изменение баланса администраторами
usage-credit =
    Как писать: /credit USER RUB [причина]
    USER – id, @имя или ничего, если команда отправлена ответом на сообщение человека. RUB больше нуля, не больше двух знаков после запятой.
usage-debit =
    Как писать: /debit USER RUB [причина]
    USER – id, @имя или ничего, если команда отправлена ответом на сообщение человека. RUB больше нуля, не больше двух знаков после запятой.
correction-stranger = Я не знаю этого человека. Пусть сначала отправит мне /start.
correction-too-large = У { $name } только { $balance }: ничего не изменено.
correction-too-large-group = У { $name } нет такой суммы: ничего не изменено.
corrected-credit = Начислено { $sum } ({ $name }).
corrected-debit = Списано { $sum } ({ $name }).
corrected-balance = Баланс: { $balance }
correction-untold = Сообщить не удалось: человек не начал чат со мной или заблокировал меня.
told-credit = Вам начислено <b>{ $sum }</b>. Ваш баланс: { $balance }
told-debit = С вашего баланса списано <b>{ $sum }</b>. Осталось: { $balance }
told-reason = Причина: { $reason }
