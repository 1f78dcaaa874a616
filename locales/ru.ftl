language-own-name = Русский

## Меню команд
command-start = Что умеет этот бот
command-image = Создать картинку
command-balance = Сколько осталось на балансе
command-language = Выбрать язык
command-help = Как это работает
command-cancel = Отменить текущую карточку
command-credit = Пополнить баланс
command-debit = Списать с баланса

## Приветствие и справка
start-hello = Здравствуйте, { $name }! Я рисую картинки по вашим словам.
start-how =
    Пришлите описание или выберите модель командой /image. Цену вы видите до оплаты, а готовая картинка придёт прямо сюда.
start-balance = Ваш баланс: <b>{ $balance }</b>
help-text =
    <b>Как это работает</b>

    1. Пришлите описание или выберите модель командой /image.
    2. Настройте формат и размер кнопками карточки.
    3. Нажмите ✅: вы платите ровно столько, сколько написано на кнопке.

    Если картинка не получится, деньги за неё вернутся.

    /image – создать картинку
    /balance – сколько осталось на балансе
    /keys – ключи API вашего счёта
    /language – выбрать язык
    /cancel – отменить текущую карточку
help-contact = Остались вопросы? Напишите { $contact }.
balance-now = Ваш баланс: <b>{ $balance }</b>
language-choose = На каком языке мне говорить?
language-chosen = Теперь я говорю по-русски.
not-allowed = Извините, этот бот работает только для приглашённых. Попросите владельца бота добавить вас.

## Карточки
models-title = Какая модель нарисует картинку?
models-price-from = от { $price }
models-page = { $page } из { $pages }
local-preview = (локальный предпросмотр)
card-price = Цена: <b>{ $price }</b>
card-balance = Баланс: { $balance }
card-prompt = Описание:
card-prompt-wanted = ✍️ Пришлите описание картинки следующим сообщением.
card-prompt-wanted-group = ✍️ Ответьте на мой вопрос описанием картинки.
choose-value = { $name }:
button-generate = Создать · { $price }
button-write-prompt = ✍️ Описание
button-change-prompt = ✍️ Изменить описание
button-models = 🎨 Другая модель
button-back = ‹ Назад
button-cancel = ✖️ Отмена
button-go-on = Продолжить с картинкой
button-original = 📄 Оригинал
button-originals = 📄 Оригиналы
button-again = 🔁 Ещё раз
ask-prompt = Что должно быть на картинке? Пришлите описание или /cancel.
ask-prompt-group = Что должно быть на картинке? Ответьте на это сообщение или отправьте /cancel.
ask-prompt-placeholder = Кот на Луне…
prompt-no-text = Здесь нужны слова: опишите картинку текстом или выйдите командой /cancel.
prompt-empty = В этом сообщении нет слов. Опишите картинку или выйдите командой /cancel.
prompt-too-long =
    { $max ->
        [one] Эта модель принимает описания до { $max } символа. Пришлите описание короче.
        [few] Эта модель принимает описания до { $max } символов. Пришлите описание короче.
       *[other] Эта модель принимает описания до { $max } символов. Пришлите описание короче.
    }
cancelled = Отменено. Ничего не списано.
nothing-to-cancel = Отменять нечего. Новую картинку можно начать командой /image.

## Параметры
parameter-aspect-ratio = Формат
parameter-resolution = Размер
parameter-generation-mode = Режим
parameter-count = Картинок
value-aspect-ratio-auto = авто
value-generation-mode-fast = быстро
value-generation-mode-quality = качественно
value-yes = да
value-no = нет

## Оплата
pay-accepted = Оплачено. Уже в работе.
money-missing = Не хватает { $missing }.
money-ask = Чтобы пополнить баланс, напишите { $contact }.
money-ask-nobody = Чтобы пополнить баланс, напишите владельцу бота.
money-ask-uncertain = Можно спросить { $contact }.
pay-price-changed = Цена изменилась, поэтому ничего не списано. Посмотрите на новую цену и подтвердите ещё раз.
pay-unavailable = Сейчас заказы не принимаются, ничего не списано. Попробуйте ещё раз через несколько минут.
pay-unavailable-storage =
    Сейчас нет места для новых картинок, поэтому ничего не списано. Попробуйте ещё раз через несколько минут.
pay-uncertain =
    Неизвестно, принят ли ваш заказ, поэтому повторно он отправлен не будет. Администратор разберётся.
refused-prompt_too_long = Описание слишком длинное для этой модели. Сократите его и подтвердите ещё раз.
refused-prompt_required = Напишите, что должно быть на картинке, и подтвердите ещё раз.
refused-model_disabled = Эта модель сейчас выключена. Выберите другую.
refused-bad_aspect_ratio = Эта модель не делает такой формат. Выберите другой.
refused-other = Модель не принимает такой запрос, ничего не списано. Измените его или выберите другую модель.

## Ход работы
status-queued = ⏳ В очереди…
status-generating = 🎨 Рисую… { $elapsed }
status-ready = Готово { $ready } из { $count }
status-done = ✅ Готово
status-failed = ❌ Не получилось

## Результаты
caption-cost = { $cost }
caption-left = осталось { $balance }
summary-ready =
    { $count ->
        [one] Картинка готова.
       *[other] Готово картинок: { $ready } из { $count }.
    }
summary-failed = К сожалению, не получилось.
failed-picture = Картинка { $number }: { $reason }
result-gone = Картинка { $number } больше не хранится, отправить её нельзя. Напишите в поддержку.
failed-refund = На баланс вернулось { $refund }.
failure-timeout = Работа шла слишком долго и была остановлена. Попробуйте ещё раз или выберите размер поменьше.
failure-memory = Не хватило памяти. Попробуйте ещё раз с размером поменьше.
failure-storage = Готовый файл не удалось сохранить. Попробуйте ещё раз позже.
failure-reference = Исходное изображение не удалось прочитать. Попробуйте с другим.
failure-refused = Модель отказалась от такого описания. Попробуйте другие слова.
failure-provider = Модель не справилась. Попробуйте ещё раз.
delivery-failed = Файлы готовы, но Telegram их не принимает. Напишите в поддержку: они не потеряны.
originals-coming = Отправляю в полном качестве…
originals-gone = Оригинал больше не хранится. Картинку можно создать ещё раз.
again-model-gone = Этой модели больше нет. Выберите другую командой /image.

## Нажатия
tap-old-card = Эта карточка устарела. Используйте самую новую или начните с /image.
tap-not-yours = Это чужая карточка. Создайте свою командой /image.
tap-unknown = Эта кнопка больше не работает. Начните с /image.
tap-draft-ordered = Это уже оплачено: картинка в работе.
tap-draft-cancelled = Эта карточка отменена. Начните новую командой /image.
tap-draft-replaced = Есть карточка новее. Используйте её или начните с /image.

## Ключи API
command-keys = Ключи API вашего счёта
keys-title = Ключи API
keys-about = Ключ тратит этот же баланс через HTTP API: <code>{ $address }</code>. Никому его не передавайте.
keys-none = Ключей пока нет.
keys-private-only = Ключи показываю только вам: отправьте /keys в личном чате со мной.
keys-too-many =
    { $count ->
        [one] У вас { $count } ключ, больше нельзя. Сначала отзовите его.
        [few] У вас { $count } ключа, больше нельзя. Сначала отзовите один из них.
       *[other] У вас { $count } ключей, больше нельзя. Сначала отзовите один из них.
    }
key-created =
    Новый ключ API, показываю только один раз:

    <code>{ $key }</code>

    Храните его на своём сервере. Через { $minutes } мин я удалю это сообщение.
key-revoked = Ключ отозван и больше не действует.
key-never-used = ещё не использовался
key-used-minutes = использован { $minutes } мин назад
key-used-hours = использован { $hours } ч назад
key-used-days = использован { $days } дн. назад
keys-revoke-ask = Отозвать ключ <code>{ $key }</code>? Программы с этим ключом сразу перестанут работать.
button-new-key = ➕ Новый ключ
button-copy-key = 📋 Скопировать ключ
button-key-saved = ✔️ Сохранено, удалить
button-revoke-key = 🗑 Отозвать

## Всё остальное
unknown-command = Такой команды я не знаю. Что я умею, покажет /help.
fault-try-again = У меня что-то сломалось. Попробуйте ещё раз через несколько минут.
unknown-message = Я понимаю только текст, картинки и файлы пока не поддерживаются. Опишите картинку словами или загляните в /help.

## Изменение баланса администраторами
usage-credit =
    Как писать: /credit USER RUB [причина]
    USER – id, @имя или ничего, если команда отправлена ответом на сообщение человека. RUB больше нуля, не больше двух знаков после запятой.
usage-debit =
    Как писать: /debit USER RUB [причина]
    USER – id, @имя или ничего, если команда отправлена ответом на сообщение человека. RUB больше нуля, не больше двух знаков после запятой.
correction-stranger = Я не знаю этого человека. Пусть сначала отправит мне /start.
correction-too-large = У { $name } только { $balance }: ничего не изменено.
corrected-credit = { $name }: начислено { $sum }. Баланс: { $balance }
corrected-debit = { $name }: списано { $sum }. Баланс: { $balance }
correction-untold = Сообщить не удалось: человек не начал чат со мной или заблокировал меня.
told-credit = Вам начислено <b>{ $sum }</b>. Ваш баланс: { $balance }
told-debit = С вашего баланса списано <b>{ $sum }</b>. Осталось: { $balance }
told-reason = Причина: { $reason }
