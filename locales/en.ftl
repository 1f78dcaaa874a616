language-own-name = English

## Menu of commands
command-start = What this bot does
command-image = Make an image
command-balance = What is left on your balance
command-language = Choose the language
command-help = How it works
command-cancel = Cancel the current card
command-credit = Add money to a balance
command-debit = Take money from a balance

## Hello and help
start-hello = Hello, { $name }! I make pictures from your words.
start-how =
    Send me a description, or choose a model with /image. You see the price before you pay, and the picture arrives right here.
start-balance = Your balance: <b>{ $balance }</b>
help-text =
    <b>How it works</b>

    1. Send me a description, or choose a model with /image.
    2. Set the format and size with the buttons of the card.
    3. Tap ✅: the price on the button is what you pay, and nothing else.

    If a picture fails, its price comes back to you.

    /image – make an image
    /balance – what is left on your balance
    /language – choose the language
    /cancel – cancel the current card
help-contact = Questions? Ask { $contact }.
balance-now = Your balance: <b>{ $balance }</b>
language-choose = Which language should I speak?
language-chosen = From now on I speak English.
not-allowed = Sorry, this bot serves invited people only. Ask whoever runs it to let you in.

## Cards
models-title = Which model should make the image?
models-price-from = from { $price }
models-page = { $page } of { $pages }
local-preview = (local preview)
card-price = Price: <b>{ $price }</b>
card-balance = Balance: { $balance }
card-prompt = Description:
card-prompt-wanted = ✍️ Send me the description of the image as your next message.
card-prompt-wanted-group = ✍️ Reply to my question with the description of the image.
choose-value = { $name }:
button-generate = Generate · { $price }
button-write-prompt = ✍️ Description
button-change-prompt = ✍️ Change description
button-models = 🎨 Other model
button-back = ‹ Back
button-cancel = ✖️ Cancel
button-go-on = Go on with your image
button-original =
    { $type ->
        [image] { $count ->
            [one] 📄 Original
           *[other] 📄 Originals
        }
       *[other] { $count ->
            [one] 📄 As a file
           *[other] 📄 As files
        }
    }
button-link = 🔗 New link
button-again = 🔁 Again
ask-prompt = What should the image show? Send me a description, or /cancel.
ask-prompt-group = What should the image show? Reply to this message, or /cancel.
ask-prompt-placeholder = A cat on the moon…
prompt-no-text = I need words here: describe the image in a text message, or leave with /cancel.
prompt-empty = There are no words in this message. Describe the image, or leave with /cancel.
prompt-too-long =
    { $max ->
        [one] This model takes descriptions of at most { $max } character. Please send a shorter one.
       *[other] This model takes descriptions of at most { $max } characters. Please send a shorter one.
    }
cancelled = Cancelled. Nothing was charged.
nothing-to-cancel = There is nothing to cancel. Start a new image with /image.

## Parameters
parameter-aspect-ratio = Format
parameter-resolution = Size
parameter-generation-mode = Mode
parameter-count = Images
value-aspect-ratio-auto = auto
value-generation-mode-fast = fast
value-generation-mode-quality = quality
value-yes = yes
value-no = no

## Paying
pay-accepted = Paid. Work has begun.
money-missing = You are { $missing } short.
money-ask = To top up, contact { $contact }.
money-ask-nobody = To top up, contact whoever runs this bot.
money-ask-uncertain = You can ask { $contact }.
pay-price-changed = The price has changed, so nothing was charged. Look at the new price and confirm again.
pay-unavailable = Orders cannot be taken right now, and nothing was charged. Please try again in a few minutes.
pay-unavailable-storage =
    There is no room for new files right now, so nothing was charged. Please try again in a few minutes.
pay-uncertain =
    It is not certain whether your order was accepted, so it will not be sent again. An admin will look into it.
refused-prompt_too_long = The description is too long for this model. Shorten it and confirm again.
refused-prompt_required = Write what the image should show, then confirm again.
refused-model_disabled = This model is switched off right now. Choose another one.
refused-bad_aspect_ratio = This model does not make that format. Choose another one.
refused-other = The model does not take this request as it is, and nothing was charged. Change it, or choose another model.

## Progress
status-queued = ⏳ In the queue…
status-generating =
    { $type ->
        [video] 🎬 Filming… { $elapsed }
        [music] 🎵 Composing… { $elapsed }
       *[image] 🎨 Generating… { $elapsed }
    }
status-ready = { $ready } of { $count } ready
status-done = ✅ Done
status-failed = ❌ It did not work out

## Results
caption-cost = { $cost }
caption-left = { $balance } left
summary-ready =
    { $type ->
        [video] { $count ->
            [one] Your video is ready.
           *[other] Ready: { $ready } of { $count } videos.
        }
        [music] { $count ->
            [one] Your track is ready.
           *[other] Ready: { $ready } of { $count } tracks.
        }
       *[image] { $count ->
            [one] Your image is ready.
           *[other] Ready: { $ready } of { $count } images.
        }
    }
summary-failed = Sorry, this did not work out.
failed-one =
    { $type ->
        [video] Video { $number }: { $reason }
        [music] Song { $number }: { $reason }
       *[image] Image { $number }: { $reason }
    }
failed-refund = { $refund } came back to your balance.
result-gone =
    { $type ->
        [video] The video is no longer kept, so it cannot be sent. Please contact support.
        [music] Track { $number } is no longer kept, so it cannot be sent. Please contact support.
       *[image] Image { $number } is no longer kept, so it cannot be sent. Please contact support.
    }
result-too-large =
    { $type ->
        [video] The video is ready but weighs { $size } MB, and Telegram takes at most 50 MB from a bot.
        [music] Track { $number } is ready but weighs { $size } MB, and Telegram takes at most 50 MB from a bot.
       *[image] Image { $number } is ready but weighs { $size } MB, and Telegram takes at most 50 MB from a bot.
    }
result-link = <a href="{ $link }">Download it here</a> within an hour.
result-ask = It is not lost: { $contact } can hand it to you.
result-ask-nobody = It is not lost: whoever runs this bot can hand it to you.
result-smaller =
    { $type ->
        [video] A lower resolution or a shorter video will arrive right here.
        [music] A shorter track will arrive right here.
       *[image] A smaller size will arrive right here.
    }
failure-timeout =
    { $type ->
        [video] It took too long and was stopped. Try again, or choose a lower resolution or a shorter video.
        [music] It took too long and was stopped. Please try again.
       *[image] It took too long and was stopped. Try again, or choose a smaller size.
    }
failure-memory =
    { $type ->
        [video] It needed too much memory. Try again with a lower resolution or a shorter video.
        [music] It needed too much memory. Please try again.
       *[image] It needed too much memory. Try again with a smaller size.
    }
failure-storage = The finished file could not be saved. Please try again later.
failure-reference = A reference picture could not be read. Try again with another one.
failure-refused = The model refused this description. Try other words.
failure-provider = The model failed to make it. Please try again.
delivery-failed = Your files are ready, but Telegram does not take them. Please contact support: they are not lost.
originals-coming = Sending in full quality…
originals-gone = The original is no longer kept. You can have it made again.
again-model-gone = This model is no longer offered. Choose another one with /image.

## Taps
tap-old-card = This card is out of date. Use the newest one, or start with /image.
tap-not-yours = This card belongs to somebody else. Make your own with /image.
tap-unknown = This button does not work any more. Start with /image.
tap-draft-ordered = This is already paid: your image is on its way.
tap-draft-cancelled = This card was cancelled. Start a new one with /image.
tap-draft-replaced = There is a newer card. Use that one, or start with /image.

## Anything else
unknown-command = I do not know this command. /help shows what I can do.
fault-try-again = Something went wrong on my side. Please try again in a few minutes.
unknown-message = I understand text only; pictures and files cannot be used yet. Describe an image in words, or see /help.

## Corrections by admins
usage-credit =
    Usage: /credit USER RUB [reason]
    USER is an id, a @name, or leave it out and reply to that person's message. RUB is positive, with at most two decimals.
usage-debit =
    Usage: /debit USER RUB [reason]
    USER is an id, a @name, or leave it out and reply to that person's message. RUB is positive, with at most two decimals.
correction-stranger = I have never met this person. Ask them to send me /start first.
correction-too-large = { $name } has only { $balance }: nothing was changed.
corrected-credit = { $sum } added to { $name }. Balance: { $balance }
corrected-debit = { $sum } taken from { $name }. Balance: { $balance }
correction-untold = I could not tell them: they have not started a chat with me or have blocked me.
told-credit = You got <b>{ $sum }</b>. Your balance: { $balance }
told-debit = <b>{ $sum }</b> was taken from your balance. Left: { $balance }
told-reason = Reason: { $reason }
