language-own-name = English

## $atBot: nothing in a private chat; in a group the bot's @name, since only commands with it surely reach the bot

## Menu of commands
command-start = What I can do
command-image = Make an image
command-video = Make a video
command-music = Make music
command-balance = Balance
command-language = Choose the language
command-topup = Top up the balance
command-terms = Terms of use
command-privacy = Privacy policy
command-support = Write to support
command-paysupport = Help with payments
command-refund = Refund a payment or an order
command-help = How it works
command-cancel = Cancel
command-credit = Add money to a balance
command-debit = Deduct from a balance
command-order = An order’s whole story
command-models = Switch models off and on
command-stats = Sales, people and failures
command-audit = What admins did
command-account = A person’s account
command-ban = Stop a person’s orders
command-unban = Allow orders again
command-limit = A person’s monthly limit

## What Telegram shows before a conversation begins (limits: 512, and 120 for the short one)
profile-description =
    I make images, videos and music from your words.

    🖼 Images: from a description, or your photo with changes
    🎬 Videos: from a description or a photo
    🎵 Songs: with your lyrics, or just tell me what about

    You see the price first; nothing is charged until you confirm. Start, and describe your first image.
profile-short = Images, videos and songs from your words. You see the price before anything is charged.

## Hello and help
start-hello = Hello, { $name }! I make images, videos and music from your words.
start-how = Choose what to make, or just send a description of an image, or a photo to change: you see the price first.
start-how-links = Choose what to make, or just send a description of an image: you see the price first.
start-how-group = Write to me like this: /image{ $atBot } a red fox in the snow. You see the price first, and pay from your own balance.
start-balance = Your balance: <b>{ $balance }</b>
start-gift = 🎁 A gift to try it out is yours. Your balance: <b>{ $balance }</b>
start-nothing = I can’t make anything right now. Please look in again later.
start-card-open = Your card is already open below.
button-type-image = 🖼 Image
button-type-video = 🎬 Video
button-type-music = 🎵 Music
button-example =
    { $type ->
        [video] 🎬 { $text }
        [music] 🎵 { $text }
       *[image] 🖼 { $text }
    }
example-image = A fox in a winter forest
example-video = A boat on a moonlit sea
example-music = A calm song about rain
kind-off =
    { $type ->
        [video] I can’t make videos right now. What I can make: /start{ $atBot }
        [music] I can’t make music right now. What I can make: /start{ $atBot }
       *[image] I can’t make images right now. What I can make: /start{ $atBot }
    }
# Words that mean a command or an answer, not a description, separated by commas. Case, punctuation and emoji do not count.
words-start = hi, hello, hey, hiya, howdy, yo, hi there, hello there, hey there, hi bot, hello bot, hey bot, hi all, hello everyone, good morning, good afternoon, good evening, good day, greetings, how are you, hi how are you, hello how are you, start, menu, who are you, what can you do, 👋, are you there, anybody there, anyone there, you there, bot, are you a bot, are you human, are you real, what's your name, what is your name, who made you, who created you, what's up, sup, bye, goodbye, good night, see you, what do you do, hola, test, testing, this is a test, where are you, cya, gn, what are you, who are u, what are u
words-help = help, help me, help please, instructions, how to use, how does it work, how does this work, how do you work, what do i do, i don't understand, i do not understand, don't understand, what now, what next, how to start, how do i start, commands, rules, instruction, info, what is this, what is it, what's this, what is this bot, what is this for, what's this bot, how to use this bot, how do i use this, tell me about yourself
words-balance = balance, my balance, show balance, show my balance, account, how much is left, how much do i have, money, orders, my orders, order, history, my history, order history, my pictures, my images, my photos, my videos, my songs, gallery, show my pictures, how much money do i have, how many do i have left, how much do i have left, how much money is left, how much money do i have left, how much did i spend, how much have i spent, how much i spent, what did i spend, my spending, my expenses
words-language = language, change language
words-cancel = cancel, stop, quit, exit, abort, never mind, nevermind, forget it, nvm, ok never mind, ok nevermind, ok don't, changed my mind, i changed my mind, don't want it anymore
words-back = back, go back, step back
words-price = price*, pricing, cost, costs, expensive, cheap, cheaper, free, much, subscription*, discount*, fee, fees, plan, plans, limit*, tariff*
words-operator = operator, support, admin, administrator, customer support, talk to a human, human, real person, live agent, agent, contact, contact support, contact us, call an operator, talk to support, help desk, question, i have a question, got a question, i've got a question, can i ask a question, i want to talk to a human, i want to talk to someone, i want to speak to a human, support please, talk to a person, i want to talk to a person, a human please, speak to a human
words-thanks = thanks, thank you, thank you very much, thank you so much, thanks a lot, many thanks, thx, ty, cheers, great, awesome, amazing, perfect, excellent, wow, nice, well done, good job, 🙏, ❤, 😍, 👏, 🔥, 🥰, 😊, thank u, tysm, appreciate it, much appreciated, love it, i love it, i like it, like it, beautiful, so beautiful, very nice, cool, so cool, brilliant, good, very good, good bot, looks great, it's great, this is great, great job, lovely, 💯, 🎉, 🤩, 😻, so realistic, wow so realistic, not bad, looks real, it looks real, thats good, that's good, that's great, so good, came out beautiful, you're the best, youre the best, the best, nailed it, you nailed it, figured it out, much love, just what i wanted, just what i needed, exactly what i wanted, masterpiece, a masterpiece, amazing work, great work, nice work, good work, you are the best, you guys are the best, nice one
words-yes = yes, yep, yeah, yup, ok, okay, sure, fine, alright, all right, got it, understood, of course, go ahead, do it, 👍, 👌, ✅, +, go, go on, let's go, continue, proceed, yes please, yes go, ok go, it came through, surprise me, fair enough, sounds good, makes sense, no problem
words-no = no, nope, not that, wrong, 👎, ❌, not this, no thanks, no thank you, i don't want it, meh, so so, not really, horrible, terrible, awful, ugly, creepy, nonsense, garbage, disgusting, nightmare, bad, very bad, gross
# Requests such as “please make me a video of a cat”: a verb, words to skip, what to make, a word before the description.
request-verbs = make, create, generate, produce, shoot, film, record, write, compose, sing, give, i want, i need, i would like, i'd like, do, build, craft, design
request-verbs-image = draw
request-verbs-music = sing
request-fillers = hi, hello, please, can, could, you, me, us, a, an, the, one, another, some, short, new, u
request-leads = hey, hello there, hi there, ok, okay, so, well, now, then, pls, plz, also, and, let's, lets, just, quick, ur
request-tones = funny, sad, happy, cheerful, calm, slow, fast, romantic, love, birthday, wedding, christmas, rock, pop, rap, country, folk, jazz, metal, punk, kids, children's, soft, loud, epic, dark, beautiful, cute, good, nice, quiet, acoustic, upbeat, chill, lofi, lo-fi, relaxing, energetic, silly, phonk, techno, house, trap, drill, ambient, meditation, electronic, synthwave, indie, blues, classical, instrumental, piano, guitar, orchestral, background, reggae, soul, disco, funk, bluegrass, gospel, opera, hip hop, hip-hop, dance, party, kid's, breakup, goodbye, farewell, 80s, 90s
request-nouns-image = image, images, picture, pictures, pic, photo, photos, drawing, illustration
request-nouns-video = video, videos, video clip, clip, movie, music video, vid, vids, animation, cartoon, reel, tiktok
request-nouns-music = song, songs, track, music, tune, melody, beat, beats
request-kinds-image = portrait, poster, logo, avatar, sketch, painting, wallpaper, tattoo, sticker, banner, postcard, meme, profile pic, profile picture, invitation, birthday card, greeting card, flyer, coloring page, colouring page, icon
request-kinds-music = rap, lullaby, ballad, anthem, jingle, serenade
request-kinds-video = timelapse, time-lapse, slow motion, slowmo
request-joints = about, of, with, where, in which, showing, for, no, without
request-additions = female vocal*, male vocal*, female voice*, male voice*, with, without, add, and, plus, no, make the, make it, make him, make her, make them, make his, make its, put, let, change, remove, replace, give him, give her, give it
request-links = of, showing, that shows
words-this-with = photo, picture, image, pic, video, my, the, of, from, into, a, an, out, make, bring, come, to, life, please, turn, as, with, let's, can, you, could, in, me, alive, moving
words-topic = image, images, picture, pictures, pic, pics, photo, photos, video, videos, clip, song, songs, music, track, result, results, file, files, generation, generations, bot, money, balance, payment*, order, orders, card, bank, account, credit, credits, receipt, support, service, app, model, models, screenshot*, message*, button*, minute, minutes, hour, hours, rub, ruble, rubles, rouble*, dollars, usd, cents, paypal, crypto, vid, vids, language, languages, link, quality, hd, iphone*, android*, cash, funds
words-modal = can, could, would, you, we, i, i'd, want, like, please, also, then, just
words-this = this, that, it, these, them, him, her, it's, its
words-animate = animate, animated, animation, enliven, move, moves
words-more-with = one, ones, time, times, try, it, that, this, a, the, do, make, give, show, generate, draw, create, please, pls, plz, and, some, something, version, versions, variant, variants, variation, variations, option, options, picture, image, photo, video, song, track, pic, same, me, can, could, you, i, want, would, like, let's, lets, need, of, two, three, few, get, once, with, over, anew, maybe, just, let, us, from, scratch, but
words-one = one, ones
words-more = again, another, more, repeat, redo, regenerate, retry, different, other, reroll, next, else, same
words-how = use, work, works, make, do, create, generate, start, begin, upload, send, change, edit, animate, write, draw, save, download, choose, features, possible, uploading, type, typing, speak
words-swear = fuck*, wtf, shit, shitty, bullshit, crap, damn, asshole, bitch, bastard, sucks, suck, stupid, idiot, idiots, moron, dumb, omfg, ffs, piss, trash
words-support-phrases = refund, refund me, refund my, money back, my money, where is my, where's my, wheres my, give me back, doesn't work, does not work, doesnt work, don't work, dont work, not working, didn't work, didnt work, didn't arrive, not arrived, never arrived, didn't get, didnt get, haven't received, not received, charged twice, charged me, i was charged, been charged, i paid, why so long, why is it so slow, taking so long, takes so long, so slow, how long, still waiting, been waiting, when will it be ready, is it ready, it's broken, is broken, it's stuck, got stuck, this is a scam, scam, not what i asked, not what i wanted, i have a problem, i need help, i want to complain, invoice please, receipt please, need a receipt, no answer, nothing happened, nothing happens, error, not loading, won't load, don't like it, do not like it, don't like this, changed my mind, i said, i asked for, i told you, where did my money, where did the money
words-support = refund*, charged, charge, paid, back, waiting, wait, waited, slow, stuck, broken, bug, bugs, error*, problem*, issue*, complain*, scam*, fraud, work, works, working, worked, arrive*, arriving, receive*, came, come, coming, ready, long, taking, takes, failed, fail, missing, lost, gone, disappeared, cancel*, wrong, bad, terrible, awful, horrible, useless, ugly, help, loading, load, open, download, asked, ask, delivered, deliver, invoice, declined, decline, taken, loads, play, playing, helped, waste, wasted
words-not = no, not, nothing, never, none, nobody, don't, doesn't, didn't, isn't, aren't, wasn't, can't, cannot, won't, haven't, hasn't, couldn't, dont, doesnt, didnt, isnt, cant, wont, havent, hasnt
words-question = where, when, why, how, what, what's, whats, where's, wheres, how's, who, who's, which, whose, is, are, am, could, does, did, will, would, should, has, have, isn't, aren't, didn't, doesn't, won't, can't, wat
words-small = i, i'm, im, ive, thats, youre, gonna, wanna, i've, i'd, i'll, me, my, mine, you, your, yours, u, ur, you're, he, him, his, she, her, it, it's, its, we, us, our, they, them, their, this, that, that's, these, those, the, a, an, and, or, but, so, if, then, than, to, of, in, on, at, for, from, with, by, as, about, into, be, is, am, are, was, were, been, being, do, does, did, done, doing, have, has, had, having, can, could, will, would, should, may, might, must, just, still, now, here, there, too, also, very, really, again, more, already, yet, ever, please, pls, plz, hey, hi, hello, ok, okay, today, yesterday, tomorrow, ago, since, one, two, any, anything, anyone, anybody, some, something, all, everything, get, getting, got, give, show, send, sent, tell, need, want, wanted, let, see, look, know, think, say, said, make, made, making, create, created, generate, generated, bit, little, much, many, same, other, only, first, last, time, times, twice, after, before, while, when, up, down, out, off, over, right, ordered, people, person, human, answer*, reply, replies, respond*, tap, tapped, click, clicked, happen*, pay, like, likes, second, third, number, own, through, taken, even, em, meant, mean, left, wouldn't, zero, half, try, call, looking, around, bucks, check, lot, looks, moment, later, soon, maybe
words-polite = please, pls, plz, pliz, thanks, thx, ty
words-thank = thank, thanks, thx, ty
words-place = in, on, at, under, behind, over, above, near, inside, among, by
words-praise = fire, insane, sweet, sick, lit, dope, bomb, awesome, amazing, great, wow, cool, nice, gorgeous, stunning, unreal, crazy, beautiful, perfect, good, love, best, lovely, cute
words-lead = so, but, and, hey, hi, hello, well, ok, okay, please, pls, tell, excuse, sorry, umm, um, hmm, oh, bot, listen, thanks, great, nice, cool, wow, haha*, hehe*, lol, lmao, rofl, omg, whoa, yay, ha, damn, hah, aww, bro
words-invite = invite, invite a friend, invite friends, referral, referral link, my link, refer a friend
words-cancel-order = cancel order, cancel my order, cancel the order, cancel last order, cancel my last order, stop the order, stop my order, cancel generation
named-beside = a, an, and, in, at, with, make, it, set, use, please, pls, format, ratio, quality, resolution, length, style, now
named-aspect-ratio-1-1 = square
named-aspect-ratio-16-9 = horizontal, horizontally, widescreen
named-aspect-ratio-9-16 = vertical, vertically
named-count-1 = 1 picture, one picture, 1 image, one image, 1 piece, 1 variant, one variant
named-count-2 = two, 2 pictures, two pictures, 2 images, two images, 2 pieces, 2 variants, two variants
named-count-3 = three, 3 pictures, three pictures, 3 images, three images, 3 pieces, 3 variants, three variants
named-count-4 = four, 4 pictures, four pictures, 4 images, four images, 4 pieces, 4 variants, four variants
named-duration-sec = { $value } sec, { $value } secs, { $value } seconds
named-sound-true = with sound, sound
named-sound-false = without sound, no sound
named-make-instrumental-true = without vocals, no vocals, without words
named-make-instrumental-false = with vocals, with words
named-generation-mode-fast = fast, quickly
named-video-speed-mode-fast = fast, quickly
words-promo = promo, promo code, promocode, coupon, coupon code, i have a promo code, i have a promo, i have a coupon, enter promo code, enter a promo code, use promo code, redeem, redeem code, redeem promo code, apply promo code, voucher, gift code, where do i enter a promo code, where to enter promo code
words-models = change model, change the model, change model please, change the model please, can i change the model, can you change the model, how do i change the model, how to change the model, switch model, switch the model, switch models, another model, other model, different model, a different model, use another model, use a different model, try another model, try a different model, with another model, choose a model, choose the model, choose model, pick a model, models, show models, show the models, what models are there, which models are there, what models do you have, which models do you have, what other models are there, which models, what models, which model, what model is better, which model is better, which model should i use, which model to choose
words-settings = settings, my settings, open settings, show settings, where are the settings, preferences, my data, delete my data, remove my data, erase my data, download my data, my account, my profile, profile, delete me, delete my account, forget me, unsubscribe, stop the news, no more ads, stop messaging me, leave me alone, don't message me, stop writing to me
words-top-up = top up, topup, top up balance, top up my balance, how to top up, how do i top up, add money, add funds, add credits, add credit, pay, payment, how to pay, how do i pay, how can i pay, where do i pay, i want to pay, i want to top up, buy, buy stars, buy credits, deposit, payment methods, out of money, no money left, recharge, can i pay by card, can i pay with a card, pay by card, pay with card, can i pay with paypal, pay with stars, can i pay with stars, i'm out of money, im out of money, ran out of money, i ran out of money, top up with my card, how do i top up with my card, do you take crypto, can i pay with crypto, do you accept crypto, how do i top up with a card, do you take cards, do you accept cards
help-text =
    <b>How it works</b>

    1. Choose what to make: /image, /video or /music. For an image, you can just send a description or a photo.
    2. Set everything on the card of your order. Send photos, picture files or links to pictures if the result should be based on them: they become references for an image, or the frames of a video.
    3. Tap ✅: the price on the button is what you pay, and nothing else.
    4. Want it different? Right after an image, write what to change (“make it darker”), or reply in words to any finished image. The buttons under a result edit or animate it, make another take, or send it as a file in full quality.
help-text-links =
    <b>How it works</b>

    1. Choose what to make: /image, /video or /music. For an image, you can just send a description.
    2. Set everything on the card of your order. Send https links to pictures if the result should be based on them (I can’t pass photos on here): they become references for an image, or the frames of a video.
    3. Tap ✅: the price on the button is what you pay, and nothing else.
    4. Want it different? Right after an image, write what to change (“make it darker”), or reply in words to any finished image. The buttons under a result edit or animate it, make another take, or send it as a file in full quality.
help-refund = If something fails, its price comes back to you.
help-commands =
    /image – make an image
    /video – make a video
    /music – make music
    /balance – your balance
    /settings – { $keys ->
        [here] settings and my data
       *[elsewhere] settings
    }
    /language – choose the language
    /cancel – cancel
    /start – what I can do{ $keys ->
        [here] {"\u000A"}/promo CODE – use a promo code{"\u000A"}/keys – API keys{"\u000A"}/support – write to support
       *[elsewhere] {"\u000A"}/support – write to support
    }
help-invite = /invite – bring a friend, and both of you get a gift
help-topup =
    /topup – top up your balance
    /terms, /privacy – the terms and the privacy policy
    /paysupport – help with a payment
help-text-group =
    <b>How it works in a group</b>

    1. Choose what to make: /image{ $atBot }, /video{ $atBot } or /music{ $atBot }. A description may follow in the same message.
    2. Set everything on the card of your order: its buttons obey only you. Answer my questions by replying to them, and send photos as a reply to any message of mine.
    3. Tap ✅: exactly the price on the button is taken from your own balance.
    4. Want it different? Reply to your finished image with words, or tap a button under it.
help-text-group-links =
    <b>How it works in a group</b>

    1. Choose what to make: /image{ $atBot }, /video{ $atBot } or /music{ $atBot }. A description may follow in the same message.
    2. Set everything on the card of your order: its buttons obey only you. Answer my questions by replying to them, and send https links to pictures the same way: I can’t pass photos on here.
    3. Tap ✅: exactly the price on the button is taken from your own balance.
    4. Want it different? Reply to your finished image with words, or tap a button under it.
help-group-mentions = No command needed: start a message or a photo’s caption with { $atBot }, for example: { $atBot } a red fox in the snow.
help-group-mentions-links = No command needed: start a message with { $atBot }, for example: { $atBot } a red fox in the snow.
help-group-privacy = What reaches me in a group for sure: commands with my name in them, and replies to my messages.
help-commands-group =
    Your balance and API keys are shown in our private chat only.

    /image{ $atBot } – make an image
    /video{ $atBot } – make a video
    /music{ $atBot } – make music
    /language{ $atBot } – choose the language
    /cancel{ $atBot } – cancel
    /id{ $atBot } – your id and the chat’s
    /start{ $atBot } – what I can do
help-admins =
    For admins:
    /credit – add money to a balance
    /debit – deduct from a balance
    /balance USER – a person’s balance, by id or <code>@name</code>
    /account – what is known of a person, and what you can do
    /ban, /unban – stop a person’s orders, allow them again
    /broadcast – a message to many people
    /order NUMBER – an order’s story, its files, its refund
    /refund NUMBER – give a payment back, or what an order cost
    /models – switch models off and on, with a note for people
    /stats – people, orders, money and failures today, in 7 and 30 days
    /audit – what admins did, of all or of a person
    /promo – promo codes, and how often they were used
    /id – your id, and in a group those of the group and the topic
help-admins-shared =
    For admins:
    /limit – what a person may spend in a month
    /orders – unconfirmed orders: they may have been charged
help-contact = Questions? Ask { $contact }.
id-person = Your id: <code>{ $id }</code>
id-chat = This chat’s id: <code>{ $id }</code>
id-topic = This topic’s id: <code>{ $id }</code>
balance-now = Your balance: <b>{ $balance }</b>
balance-debt = { $debt } of an earlier refund is still owed. What comes in next pays it first.
balance-own-only = I can only show you your own balance.
balance-private-only = Your balance is for your eyes only: send me /balance in our private chat.
language-choose = Which language should I speak?
language-chosen = Switched to English.
not-allowed = Sorry, this bot is by invitation only. Ask its owner to let you in.
anonymous-admin = I can’t see who is writing on behalf of the group, so I don’t know whose balance to use. Write to me as yourself.
admin-welcome = You are an admin of this bot now. /help lists your commands.
admin-code-wrong = This code doesn’t work: it is wrong, was used already, or is more than an hour old. While the bot has no admin, each start of the service writes a new one to its log.

## Statement
statement-title = What came and went
statement-file = All entries, the newest first; at most the last { NUMBER($count) }. Times are in UTC.
statement-file-coming = The file is on its way.
button-older = Older ›
button-newer = ‹ Newer
button-statement-file = 📊 Statement (CSV)
month-sums = { $month } (UTC): { $sums }
month-charge = spent { $sum }
month-refund = returned { $sum }
month-credit = added { $sum }
month-debit = deducted { $sum }
entry-credit = Added
entry-credit-welcome = Welcome gift
entry-credit-top-up = Top-up
entry-credit-top-up-not-refunded = Top-up, not refunded after all
entry-credit-promo = Promo code
entry-credit-invitation = Invitation
entry-debit = Deducted
entry-debit-top-up-refunded = Top-up, refunded
entry-debit-debt-of-a-refund = Debt after a refund
entry-debit-invitation-taken-back = Invitation, taken back with its payment
entry-charge = Order
entry-refund = Refund
entry-refund-of = Refund: { $order }
entry-returned = refunded
entry-returned-part = { $sum } refunded
entry-open = being made
column-time = Time (UTC)
column-what = What
column-sum = Sum, ₽
column-outcome = Outcome
column-balance = Balance, ₽

## Welcome credits
welcome-offer = 🎁 A gift of { $sum } is waiting for you.
button-welcome = 🎁 Get my gift
welcome-credited = 🎁 { $sum } was added. Your balance: { $balance }
welcome-none = You already have your gift. Your balance is under /balance.

## Promo codes
usage-promo = Send the code in your next message, or right after the command: /promo SUMMER
promo-private-only = Send me the code in our private chat.
promo-credited = 🎁 { $sum } was added. Your balance: { $balance }
promo-used = You’ve used this code already: { $sum } was added then.
promo-wrong = There’s no such code, or it’s over. Please check how it’s written.
promo-slow = Too many wrong codes. You can try again after { $time }.
promo-banned = You can’t place orders for now, so codes don’t work for you either. Questions: /support
promo-none = There are no promo codes yet. Whoever runs the server makes them.
promo-title = Promo codes, the newest first:
promo-line = { $code } · { $sum } · { $uses } of { $max } used · until the end of { $time }

## Invitations
command-invite = Invite a friend
command-invites = Invitations
invite-private-only = Ask me for your link in our private chat.
invite-how = Send this link to friends. When someone new joins with it and tops up { $least } or more, you get { $yours } and they get { $theirs }. It counts for up to { $max } people a month.
button-share = 📤 Send to a friend
invite-counts = { $invited ->
    [one] { $invited } person has come by your link
   *[other] { $invited } people have come by your link
}, { $rewarded } of them topped up.
invited-hello = 🎁 You joined through a friend’s link: your first top-up of { $least } or more brings you { $theirs } on top.
invite-told-inviter = 🎁 Someone you invited has topped up: { $sum } was added to your balance.
invite-told-invited = 🎁 For joining through a friend’s link { $sum } was added to your balance.
invite-taken-inviter = ↩️ The top-up of someone you invited was refunded, so the { $sum } it brought you was taken back.
invite-taken-invited = ↩️ Your top-up was refunded, so the { $sum } for joining through a friend’s link was taken back.
invite-taken-owed = Your balance didn’t cover all of it: whatever is added next pays { $owed } first.
invites-none = Nobody has come by an invitation yet.
invites-title = Invitations, the newest first:
invites-line = { $inviter } → { $invited } · { $time }
invites-rewarded = { $inviter } and { $invited } added
invites-taken = { $inviter } and { $invited } taken back, as the payment was refunded

## Answers to words that are no description
talk-thanks = You’re welcome!
talk-confirm = To begin, tap ✅ on the card.
talk-other = Send another description, or tap ✖️ on the card.
talk-describe = ✍️ Describe in words what to make.
talk-price = 💰 Prices (the exact one is on the ✅ button):
talk-price-card = 💰 This order costs { $price }, charged only after ✅.
talk-what-to-change = What should I change in the image? Write, for example: “make it brighter”.
talk-price-kind = { $kind } from { $price }
talk-operator = Write to { $contact }.
talk-operator-nobody = Write to the owner of the bot.
talk-operator-support = People answer in support. Tap the button and write what’s wrong.
talk-to-support = Pass this on to support?
talk-under-way = ⏳ Your order is still being made: the result will come here.
talk-more = One more?
talk-animate = Animate the image?
talk-unsure = What should I do with this?

## Cards
models-title-image = Which model for the image?
models-title-video = Which model for the video?
models-title-music = Which model for the song?
model-off = ⚠️ The model you chose is switched off right now. Choose another one.
models-price-from = from { $price }
models-need-photo = needs a photo
models-no-photo = no photos
models-page = { $page } of { $pages }
local-preview = (demo)
local-preview-music = (demo, no voice)
card-price = Price: <b>{ $price }</b>
card-price-unknown = The price of these settings is unknown. Change them or choose another model.
card-limit = Your limit: { $left } left
card-balance = Balance: { $balance }
need-prompt-image = ✍️ Send me the description of the image as your next message.
need-prompt-image-photos =
    { $count ->
        [one] ✍️ Tell me in your next message what to do with the photo.
       *[other] ✍️ Tell me in your next message what to do with the photos.
    }
need-prompt-image-result = ✍️ Tell me in your next message what to change in the image.
need-prompt-video = ✍️ Send me the description of the video as your next message.
need-prompt-video-photos = ✍️ Write in your next message what should happen in the video.
need-description = ✍️ Tell me in your next message what the song should be about and how it should sound.
need-lyrics = 📝 Send me the lyrics as your next message.
need-text = ✍️ Send me this as your next message: { $name }
need-text-group = ✍️ { $name }: reply to my question with it.
need-longer =
    { $min ->
        [one] ✍️ { $name }: at least { $min } character is needed. Send me a longer text.
       *[other] ✍️ { $name }: at least { $min } characters are needed. Send me a longer text.
    }
need-shorter =
    { $max ->
        [one] ✍️ { $name }: this model takes at most { $max } character. Send me a shorter text, or choose another model.
       *[other] ✍️ { $name }: this model takes at most { $max } characters. Send me a shorter text, or choose another model.
    }
need-start-frame-url = 🖼 Send me a photo or a link: the video will start with it.
need-reference-urls = 🖼 Send me photos or links: the video will follow them.
need-custom-style-or-style-preset-id = ☝️ Choose a style, or describe your own.
need-pictures = 🖼 A photo is needed: { $names }. Send me one, or a link.
need-setting = ☝️ Choose with the buttons below: { $names }.
card-more = ⚙️ { $settings }
more-title = ⚙️ More settings:
replace-question = Replace “{ $name }” with “{ $text }”?
button-replace = Replace
button-keep = Keep
button-draw = 🎨 Draw
button-add = ➕ Add
button-edit-last = ✏️ Edit the image
button-pass = 💬 To support
button-help = ❓ Help
button-new-image = ✨ New image
choose-by-tap = Choose with a button of the card, or tap ‹ Back.
choose-value = <b>{ $name }</b>
choose-aspect-ratio = Which aspect ratio?
choose-resolution = Which quality?
choose-generation-mode = Which mode?
choose-count = How many images?
choose-reference-urls = Which photos should I use?
choose-duration-sec = How long should it be?
choose-video-input-mode = What should the video be based on?
choose-video-speed-mode = Which mode?
choose-sound = With sound?
choose-start-frame-url = Which frame should the video start with?
choose-end-frame-url = Which frame should the video end with?
choose-mode = From a description or from your own lyrics?
choose-title = What’s the song called?
choose-style-preset-id = Which style?
choose-custom-style = What should the style be?
choose-make-instrumental = With vocals?
choose-style-weight = How closely should it follow the style?
choose-weirdness-constraint = How unusual should it be?
choose-audio-weight = How much should the audio influence it?
button-generate = Generate · { $price }
button-write = ✍️ { $name }
button-write-prompt = ✍️ Describe
button-write-description = ✍️ Describe it
button-write-lyrics = 📝 My lyrics
button-retake-description = ↩️ Not lyrics
guessed-lyrics = 📝 Your message has several lines, so I took it as lyrics.
button-models = 🎨 Model
button-more = ⚙️ More
button-as-image = 🎨 Image
button-as-video = 🎬 Video
button-back = ‹ Back
button-cancel = ✖️ Cancel
button-clear = 🧹 Clear
button-remove = 🗑 Remove
button-remove-all = 🗑 Remove all
button-refresh = 🔄 Refresh
button-contact = 💬 { $contact }
button-go-on = Go on with your card
button-original =
    { $count ->
        [one] 📄 As a file
       *[other] 📄 As files
    }
button-link = 🔗 New link
button-change = ⚙️ Adjust
button-other-model = 🎨 Other model · { $price }
ask-prompt-image = What should the image show?
ask-prompt-image-photos =
    { $count ->
        [one] What should I do with the photo?
       *[other] What should I do with the photos?
    }
ask-prompt-image-result = What should I change in the image?
ask-prompt-video = What should happen in the video?
ask-description = What should the song be about, and how should it sound?
ask-lyrics = What are the lyrics?
ask-text = <b>{ $name }</b>?
ask-by-reply = Reply to this message, or cancel with /cancel{ $atBot }.
ask-by-reply-or-back = Reply to this message, or tap ‹ Back on your card.
prompt-no-text = I need words here: please send me a text message.
prompt-empty = There are no words in this message. Send me a text.
prompt-too-long =
    { $max ->
        [one] { $name }: up to { $max } character. Please send a shorter text.
       *[other] { $name }: up to { $max } characters. Please send a shorter text.
    }
prompt-too-short =
    { $min ->
        [one] { $name }: at least { $min } character is needed. Please send a longer text.
       *[other] { $name }: at least { $min } characters are needed. Please send a longer text.
    }
cancelled = Cancelled. Nothing was charged.
cancel-too-late = Your order is already paid and on its way, so it can’t be cancelled.
question-left = OK, never mind.
nothing-to-cancel = There’s nothing to cancel. Start with /image{ $atBot }, /video{ $atBot } or /music{ $atBot }.

## Setting a parameter
page-text = ✍️ Send me the text as your next message.
page-text-max = ✍️ Send me the text as your next message, up to { $max } characters.
page-number-any = 🔢 Pick a value, or send me a number.
page-number-whole = 🔢 Pick a value, or send me a whole number.
page-number-any-between = 🔢 Pick a value, or send me a number from { $min } to { $max }.
page-number-length = ⏱ Pick a length, or send me your own, such as 2:30.
page-number-length-between = ⏱ Pick a length, or send me your own, such as 2:30. Anything from { $min } to { $max } works.
number-too-small = { $value } isn’t enough.
number-too-large = { $value } is too much.
number-not-whole = I need a whole number.
page-number-whole-between = 🔢 Pick a value, or send me a whole number from { $min } to { $max }.
page-picture = 🖼 Send me a photo, a picture as a file (PNG, JPEG or WebP, up to 20 MB) or a link that starts with https://.
page-pictures =
    { $max ->
        [one] 🖼 Send me a photo, a picture as a file (PNG, JPEG or WebP, up to 20 MB) or a link that starts with https://.
       *[other] 🖼 Send me photos, albums, pictures as files (PNG, JPEG or WebP, up to 20 MB each) or links that start with https://. Up to { $max } photos.
    }
page-by-reply = Send it as a reply to my question.
page-back = To leave it as it is, tap ‹ Back.

## Pictures
picture-of-chat = photo { $number }
pictures-given =
    { $count ->
        [one] 🖼 { $count } photo attached.
       *[other] 🖼 { $count } photos attached.
    }
pictures-idle = 🖼 This model works without photos: yours aren’t used. Choose another model to use them.
pictures-idle-video = 🖼 This model works without photos: yours aren’t used. Choose another model to use them.
pictures-idle-music = 🖼 Music needs no photos. Make an image or a video out of them?
picture-next-end-frame-url = 🖼 One more photo becomes the last frame.
picture-cropped = ✂️ The edges will be cut off: the picture is { $picture }, the video { $video }.
picture-cropped-else = These take all of it: { $names }.
links-added =
    { $count ->
        [1] 🖼 The link was added as a photo: { $link }
       *[other] 🖼 Links added as photos: { $count }.
    }
pictures-cut =
    { $max ->
        [1] 🖼 Only the first of { $count } photos is used: this model takes no more.
       *[other] 🖼 Only the first { $max } of { $count } photos are used: this model takes no more.
    }
pictures-cut-more = These take more: { $names }.
unused-lyrics = ⚠️ Vocals are off: nobody will sing the lyrics.
unused-voice = ⚠️ You described a voice, but vocals are off: nobody will sing.
pictures-full =
    { $max ->
        [one] Only { $max } photo fits. Remove it on the card first.
       *[other] Only { $max } photos fit. Remove one on the card first.
    }
picture-too_large = This picture is too large: I can take files of up to 20 MB and 64 megapixels. Send it as a photo, or make it smaller.
picture-gone = Telegram no longer has this picture. Please send it again.
picture-unreachable = I couldn’t get the picture from Telegram, and nothing was charged. Please try again in a minute.
picture-not_picture = I can’t read this file. Please send the picture as a photo, not as a file: Telegram then converts HEIC and other formats for me. As files I take PNG, JPEG and WebP.
picture-too_many = You’ve sent so many pictures that I can’t keep another one today. Nothing was charged. Please try again tomorrow.
picture-unkept = I couldn’t save the picture, and nothing was charged. Please try again in a few minutes.
picture-expired = This picture is no longer kept. Send it to me as a photo, or make it again.
edit-other = An edit only changes what the card describes. Send a command, or a wish of another kind, as a new message.
edit-too-late = The order is already placed, so this change doesn’t apply to it. To order the changed version, send it as a new message.
link-insecure = A link to a picture must start with https://. Send another link, or the picture itself.
link-not-picture = This link doesn’t lead to a picture: { $link }. Send a link to the picture itself, or a photo.
link-malformed = This isn’t a complete link. Send the whole link to a picture, or the picture itself.
link-wanted = { $name }: send me a photo, a file, or a link that starts with https://.

## Parameters
parameter-prompt = Description
parameter-aspect-ratio = Ratio
parameter-resolution = Quality
parameter-generation-mode = Mode
parameter-count = Images
parameter-reference-urls = Photos
parameter-duration-sec = Length
parameter-video-input-mode = Based on
parameter-video-speed-mode = Mode
parameter-sound = Sound
parameter-start-frame-url = Start frame
parameter-end-frame-url = End frame
parameter-mode = Mode
parameter-title = Title
parameter-description = Description
parameter-lyrics = Lyrics
parameter-style-preset-id = Style
parameter-custom-style = Custom style
parameter-make-instrumental = Vocals
parameter-style-weight = Style strength
parameter-weirdness-constraint = Weirdness
parameter-audio-weight = Audio influence
amount-duration-sec = { $value } s
amount-duration-min = { $value } min
value-aspect-ratio-auto = auto
value-generation-mode-fast = fast
value-generation-mode-quality = best quality
value-video-input-mode-text = Text
value-video-input-mode-frames = Photo
value-video-input-mode-references = References
setting-video-input-mode-text = 🎞 From text
setting-video-input-mode-frames = 🎞 From a photo
setting-video-input-mode-references = 🎞 From references
value-video-speed-mode-standard = best quality
value-video-speed-mode-fast = fast
value-mode-description = description
value-mode-lyrics = lyrics
setting-style-preset-id-none = Style: any
value-style-preset-id-pop = pop
value-style-preset-id-rock = rock
value-style-preset-id-hip-hop = hip-hop
value-style-preset-id-electronic = electronic
value-style-preset-id-jazz = jazz
value-style-preset-id-classical = classical
value-style-preset-id-ambient = ambient
value-style-preset-id-folk = folk
value-style-preset-id-metal = metal
value-style-preset-id-lofi = lo-fi
value-style-preset-id-cinematic = soundtrack
value-style-preset-id-chanson = chanson
value-make-instrumental-yes = off
value-make-instrumental-no = on
setting-make-instrumental-yes = 🎤 Vocals: off
setting-make-instrumental-no = 🎤 Vocals: on
level-low = low
level-medium = medium
level-high = high
value-yes = yes
value-no = no

## Paying
pay-accepted = Paid. On it!
money-missing = <b>You are { $missing } short.</b>
money-missing-group = Your balance is too low for this. To see it, send me /balance in our private chat.
money-ask = To top up, contact { $contact }.
money-ask-nobody = To top up, contact the owner of the bot.
money-ask-uncertain = You can ask { $contact }.
pay-price-changed = The price has changed, so nothing was charged. Look at the new price and confirm again.
too-many-active =
    { $max ->
        [one] You have an order in the works. Tap ✅ again when it’s done; nothing was charged.
       *[other] You have { $max } orders in the works. Tap ✅ again when one of them is done; nothing was charged.
    }
too-many-minute =
    { $max ->
        [one] That was quick: one order a minute is the most. Nothing was charged; please tap ✅ again in a minute.
       *[other] That was quick: { $max } orders a minute are the most. Nothing was charged; please tap ✅ again in a minute.
    }
too-many-drafts =
    { $max ->
        [one] That was quick: one new card a minute is the most. Please wait a minute; the open card still works.
       *[other] That was quick: { $max } new cards a minute are the most. Please wait a minute; the open card still works.
    }
pay-unavailable = I can’t take orders right now, and nothing was charged. Please try again in a few minutes.
pay-unavailable-moderation = I can’t check the description right now, and nothing was charged. Please try again in a few minutes.
pay-unavailable-storage =
    There’s no room for new files right now, so nothing was charged. Please try again in a few minutes.
pay-waiting =
    This is taking longer: there’s no room to save your order right now. Please don’t order again, I’ll tell you what comes of it.
pay-uncertain =
    It isn’t certain whether your order was accepted, so it won’t be sent again. An admin will look into it.
pay-repeated =
    It isn’t certain yet whether your order was accepted. I keep asking the service, and will write to you here.
refused-prompt_too_long = The description is too long for this model. Shorten it and confirm again.
refused-prompt_required = The description is missing or too short. Send a fuller one, then confirm again.
refused-model_disabled = This model is switched off right now. Choose another one.
refused-model_not_supported_via_api = This model can’t be used here. Choose another one.
refused-bad_model = This model is no longer offered. Choose another one.
refused-bad_video_model = This model is no longer offered. Choose another one.
refused-bad_music_model = This model is no longer offered. Choose another one.
refused-bad_aspect_ratio = This model doesn’t have that aspect ratio. Choose another one.
refused-content_refused = The rules of this service don’t allow this description. Nothing was charged. Please describe it in another way.
refused-bad_duration_sec = This model doesn’t have that length. Choose another one.
refused-bad_generation_mode = This model doesn’t have that mode. Choose another one.
refused-reference_required = A picture is missing. Send a photo or a link to one, then confirm again.
refused-bad_reference_url = One of the links to pictures is broken. Remove it or send another one.
refused-reference_url_must_be_https = A link to a picture must start with https://. A link to a file of mine works for only an hour. Send the picture itself, or another link.
refused-reference_url_not_allowed = One of the links leads into a private network. Send the picture itself, or a link that anyone can open.
refused-bad_music_description = The description of the song is too short. Add some words, then confirm again.
refused-bad_music_lyrics = The lyrics are too short. Add some lines, then confirm again.
refused-bad_music_style = A song with your lyrics needs a style. Choose one or describe your own, then confirm again.
refused-payload_too_large = The request is too large. Shorten the text or remove some pictures.
refused-other = The model doesn’t take this request as it is, and nothing was charged. Change it, or choose another model.

## Progress
status-sent = ⏳ Sent… { $elapsed }
status-queued = ⏳ In the queue… { $elapsed }
status-queued-place = ⏳ Place in the queue: { $position } · { $elapsed }
status-long = This may take a while.
status-queued-away = ⏳ The service isn’t available right now. I’ll start as soon as it’s back.
status-generating =
    { $type ->
        [video] 🎬 Filming… { $elapsed }
        [music] 🎵 Composing… { $elapsed }
       *[image] 🎨 Generating… { $elapsed }
    }
status-ready = { $ready } of { $count } ready
order-number = #{ $number }
status-done = ✅ Done
status-failed = ❌ Failed

## Results
caption-cost = { $cost }
caption-left = balance{"\u00A0"}{ $balance }
summary-ready =
    { $type ->
        [video] { $ready ->
            [one] ✅ { $ready } video
           *[other] ✅ { $ready } videos
        }
        [music] { $ready ->
            [one] ✅ { $ready } track
           *[other] ✅ { $ready } tracks
        }
       *[image] { $ready ->
            [one] ✅ { $ready } image
           *[other] ✅ { $ready } images
        }
    }
summary-some =
    { $type ->
        [video] Ready: { $ready } of { $count } videos.
        [music] Ready: { $ready } of { $count } tracks.
       *[image] Ready: { $ready } of { $count } images.
    }
failed-one =
    { $type ->
        [video] Video { $number }: { $reason }
        [music] Track { $number }: { $reason }
       *[image] Image { $number }: { $reason }
    }
failed-refund = <b>Your money is back:</b> { $refund }.
failed-balance = Balance: { $balance }
failed-kept = This was charged all the same: { $sum }.
failed-refund-unknown = The service didn’t say whether { $sum } came back. Please check your balance.
result-gone =
    { $type ->
        [video] The video is no longer kept, so it can’t be sent.
        [music] Track { $number } is no longer kept, so it can’t be sent.
       *[image] Image { $number } is no longer kept, so it can’t be sent.
    }
result-too-large =
    { $type ->
        [video] The video is ready. It’s { $size } MB, but I can send at most { $max } MB through Telegram.
        [music] Track { $number } is ready. It’s { $size } MB, but I can send at most { $max } MB through Telegram.
       *[image] Image { $number } is ready. It’s { $size } MB, but I can send at most { $max } MB through Telegram.
    }
result-over-limit =
    { $type ->
        [video] The video is ready, but it’s over { $max } MB, the most I can send through Telegram.
        [music] Track { $number } is ready, but it’s over { $max } MB, the most I can send through Telegram.
       *[image] Image { $number } is ready, but it’s over { $max } MB, the most I can send through Telegram.
    }
result-not-taken =
    { $type ->
        [video] The video is ready, but Telegram keeps interrupting the upload.
        [music] Track { $number } is ready, but Telegram keeps interrupting the upload.
       *[image] Image { $number } is ready, but Telegram keeps interrupting the upload.
    }
result-link = <a href="{ $link }">Download it here</a> within an hour.
result-ask = It isn’t lost: { $contact } can hand it to you.
result-ask-nobody = It isn’t lost: the owner of the bot can hand it to you.
result-smaller =
    { $type ->
        [video] A lower quality or a shorter video will arrive right here.
        [music] A shorter track will arrive right here.
       *[image] A lower quality will arrive right here.
    }
failure-timeout =
    { $type ->
        [video] It took too long and was stopped. Try again, or choose a lower quality or a shorter video.
        [music] It took too long and was stopped. Please try again.
       *[image] It took too long and was stopped. Try again, or choose a lower quality.
    }
failure-memory =
    { $type ->
        [video] It needed too much memory. Try again with a lower quality or a shorter video.
        [music] It needed too much memory. Please try again.
       *[image] It needed too much memory. Try again with a lower quality.
    }
failure-storage = The finished file couldn’t be saved. Please try again later.
failure-reference = One of your photos couldn’t be read. Try again with another one.
failure-refused =
    { $photos ->
        [0] The model’s rules don’t allow this request. Try other words.
       *[other] The model’s rules don’t allow this request. Try other words or another photo.
    }
failure-lost = The service that makes the files no longer knows this order, so there will be no result.
failure-unavailable = This can’t be made right now: the service isn’t available.
failure-provider = The model couldn’t do this. Please try again, or choose another model.
delivery-waits-in-private = { $name }, your result is ready, but I can’t send it to this group. Send me /start in a private chat, and it will arrive there.
delivery-failed = Your files are ready, but Telegram won’t take them.
delivery-failed-ask = They aren’t lost: { $contact } can hand them to you.
delivery-failed-ask-nobody = They aren’t lost: the owner of the bot can hand them to you.
lost-refund = <b>Your money is back:</b> { $refund }.
delivery-offer =
    { $count ->
        [one] Your order was finished while I couldn’t reach you. Its files are still kept for you.
       *[other] { $count } of your orders were finished while I couldn’t reach you. Their files are still kept for you.
    }
button-deliver =
    { $count ->
        [one] 📥 Send it here
       *[other] 📥 Send them here
    }
delivery-coming = Sending…
delivery-over = There’s nothing left to send.
originals-coming = Sending in full quality…
link-coming = Getting a new link…
originals-gone = This file is no longer kept. You can make it again.
again-pictures-gone = The pictures of this order are no longer kept. Send them to me again if you want them in the new one.
again-model-gone = This model isn’t available right now. Choose another one with /image{ $atBot }, /video{ $atBot } or /music{ $atBot }.
button-copy = ✏️ Edit at my expense
picture-of-other = This image belongs to <b>{ $name }</b>. Shall I make you a copy with this change?
button-edit = ✏️ Edit
button-animate = 🎬 Animate
button-another =
    { $count ->
        [1] 🎲 Another take · { $price }
       *[other] 🎲 { $count } more · { $price }
    }
another-ordered = This one is already ordered. For one more, tap again.
another-price-changed = The price has changed, so nothing was charged. The new one is on the card.
other-model-none = No other model takes this request right now.
button-restyle = 🎸 Another style
which-picture-edit = Which image should I edit?
which-picture-animate = Which image should I animate?
edit-how = Send me what to change in it.
animate-how = Send me what should happen.
picture-no-model = No model takes pictures right now. Please try again later.
left-out = Not used here: { $what }.
left-out-pictures =
    { $count ->
        [one] { $count } photo
       *[other] { $count } photos
    }

## Top-ups and payments
button-top-up = ➕ Top up
button-top-up-stars = ⭐ { $price } → { $sum }
button-top-up-yookassa = 💳 { $sum }
button-own-sum = ✏️ Another sum
button-missing-stars = ⭐ Top up { $sum }
button-missing-yookassa =
    { $isLeast ->
        [1] 💳 Top up { $sum }, the least there is
       *[other] 💳 Top up { $sum }
    }
button-other-sum = ➕ Another sum
button-cheaper = Cheaper: { $value } · { $price }
cheaper-count =
    { $count ->
        [one] { $count } image
       *[other] { $count } images
    }
button-agree = ✅ I accept
button-pay-yookassa = Card / SBP · { $sum }
button-top-up-again = 🔁 Try again
top-up-menu = Your balance: <b>{ $balance }</b>. How much shall I add?
top-up-tills = ⭐ is Telegram Stars, 💳 is a bank card or SBP (Russian fast payments).
top-up-missing = Your open card lacks { $missing }: the first button is enough.
top-up-private = Top-ups are for our private chat, where nobody else can pay by mistake.
top-up-ask-sum = How many rubles shall I add? Send me a number, for example: 300
top-up-sum-wrong = Please send a sum in rubles, for example 300
top-up-sum-limits = I can take from { $least } to { $most } at once. Please send me a number within that.
top-up-given-up = All right, not now. /topup shows the sums again.
top-up-choose = How would you like to pay?
top-up-later = The payment service isn’t answering. Nothing was charged: please try again in a minute.
top-up-unavailable = I couldn’t send you the invoice. Please try again a little later: /topup
tap-top-up-changed = The prices have changed. Here are the new ones.
consent-ask =
    One step left: please read the /terms and the /privacy policy. If you agree, tap the button.

    We help with purchases in this bot: /paysupport. Telegram’s support can’t.
consent-given = ✅ You have agreed to the /terms and the /privacy policy.
invoice-title = Balance +{ $sum }
invoice-description = { $sum } for images, videos and music in this bot. You can ask for unspent money back with /paysupport.
invoice-link = { $sum } for your balance. The button opens the payment page; I’ll write to you here once the money has arrived. If the payment is refused, nothing is charged: /topup makes a new one.
invoice-paid = ✅ Paid: { $sum }
invoice-failed = ❌ Not paid: { $sum }. No money was taken.
button-instead-stars = ⭐ With Stars
button-instead-yookassa = 💳 By card or SBP
checkout-off = Top-ups are closed right now. Nothing was charged.
checkout-not_allowed = This bot works for invited people only. Nothing was charged.
checkout-banned = You can’t place orders for now, so I can’t take your payment. Nothing was charged. Questions: /paysupport
checkout-unknown = I don’t know this invoice any more. Nothing was charged: please make a new one with /topup.
checkout-not_yours = This invoice was made for somebody else. Nothing was charged: you can make your own with /topup.
checkout-changed = The sum isn’t the one of the invoice. Nothing was charged: please make a new one with /topup.
checkout-old = This invoice was paid or has expired. Nothing was charged now: please make a new one with /topup.
checkout-busy = I can’t take payments right this moment. Nothing was charged: please try again in a minute.
money-top-up = Top up, and we go right on.
payment-credited = <b>+{ $sum }</b>. Your balance: <b>{ $balance }</b>
payment-debt = Of this, { $debt } paid what an earlier refund had left you owing.
payment-held = Your payment { $number } has arrived, but I can’t tell what it was for. The owner of the bot has been told and will sort it out. /paysupport
payment-refunded = Your payment of { $price } was returned to you, and the same sum left your balance.
payment-refunded-owed = Your payment of { $price } was returned to you. Your balance didn’t cover all of it: whatever is added next pays { $owed } first.
payment-refunded-held = Your payment of { $price } was returned to you.
payment-part-refunded = { $sum } of your payment { $number } was returned to you, and the same sum left your balance.
payment-part-refunded-owed = { $sum } of your payment { $number } was returned to you. Your balance didn’t cover all of it: whatever is added next pays { $owed } first.
payment-state-credited = credited
payment-state-unmatched = held: no invoice explains it
payment-state-refunding = being refunded
payment-state-refunded = refunded
price-stars = { $price } ⭐
price-yookassa = { $sum }
receipt-ask =
    The law asks for a receipt. Where shall it go? Send me an e-mail address or a telephone number, for example: anna@example.com

    It is kept for your next payments and given to the payment service. /settings changes it.
receipt-now = Receipts go to { $contact }. To change that, send me another e-mail address or telephone number; /cancel leaves it as it is.
receipt-wrong = That’s neither an e-mail address nor a telephone number with its country. For example: anna@example.com or +7 900 000-00-00
receipt-given-up = All right, not now: nothing was charged. /topup shows the sums again.
receipt-saved = Receipts will go there.
receipt-none = No receipts are sent here right now, so I need no address.
button-receipts = ✉️ Receipts
legal-owner = the owner of the bot
support-contact = Questions or trouble? Write to { $contact }.
support-contact-too = You can also write to { $contact }.
support-contact-owner = Questions or trouble? Write to the owner of the bot.
paysupport =
    <b>Help with payments</b>

    Something wrong with a payment, or you’d like unspent money back? Say what happened and name the number of the payment. Telegram’s support can’t help with purchases made here.
paysupport-payments = Your last payments:
paysupport-payment = { $number } · { $time } · { $price } → { $sum } · { $state }

## Support, to people
support-ask = What’s wrong? Send it in one message: words, a picture or anything else. People read it, and their answer comes to this chat. Is it about an order or a payment? Name its number, please. /cancel ends this.
support-orders = Your last orders:
support-private = Let’s talk about it in our private chat, where nobody else reads along.
support-edited = Support has this message as it was before. What has changed, please send as a new one.
support-taken = ✅ I’ve passed your message on. The answer comes to this chat.
support-too-many = That’s a lot at once. What came before is passed on; wait a little, please, then write what’s missing.
support-answer = 💬 Answer from support
button-support-private = 💬 Support
button-support-more = ✍️ Add something
button-support-reply = ✍️ Reply

## Support, to admins
support-header-question = 💬 { $person } writes to support.
support-header-payment = 💳 { $person } writes about a payment.
support-topic = Whatever admins write in this topic goes to this person as an answer from support.
support-chat = To answer, tap ✍️ or reply to the message below.
support-uncopied = (A message that I can’t copy, or that was deleted since.)
support-ask-admin = { $admin }, reply to this message: whatever you send goes to { $person }.
support-arrived = ✅ It has arrived.
support-blocked = 🚫 Not delivered: this person has blocked the bot.
support-refused = ❌ Not delivered: Telegram didn’t take it. Please send it once more.
support-not-admin = Only admins of the bot can answer here: what others write isn’t passed on.
support-anonymous = I can’t see who writes anonymously, so nothing was passed on. Write as yourself, please.
sent-to-private = Sent to our private chat.
private-not-open = I can’t write to you. Open our private chat, press Start, and tap again.
button-support-answer = ✍️ Answer
button-payments = 💳 Payments
payments-of = Payments of { $person }:
payments-none = There are no payments of this person.

## Payments, to admins
usage-refund =
    Usage: /refund P-12 returns a payment, by its number or by the id that Telegram or YooKassa gave it. /refund 12 returns what order 12 cost to the balance. Nothing moves before I’ve asked you once more.
    Example: <code>/refund P-12</code>
payment-refund-unknown = I know no such payment and no such order. The numbers are in the person’s /paysupport and /support; the id that Telegram or YooKassa gave it works too.
payment-screen =
    <b>Payment { $number }</b> · { $time }
    { $person }
    { $price } → { $sum } · { $state }
    Balance now: { $balance }
    <code>{ $charge }</code>
button-payment-refund = ↩️ Refund { $price } { $way }
button-payment-credit = ➕ Add { $sum } to the payer’s balance
button-payment-sure-refund = ✅ Yes, refund { $price } { $way }
button-payment-sure-credit = ✅ Yes, add { $sum }
refund-way-stars = to Telegram
refund-way-yookassa = by YooKassa, the way it was paid
payment-returned = Returned before: { $sum }
payment-ask-refund = Refund <b>{ $price }</b> of payment { $number } to { $person }, { $way }?
payment-ask-credit = Add <b>{ $sum }</b> of payment { $number } to the balance of { $person }?
refund-share-payment = The payment: { $sum } leaves the balance of { $person }.
refund-share-reward = The reward of an invitation goes too: { $sum } leaves the balance of { $person }.
refund-share-owed = { $owed } of it isn’t there and becomes a debt.
refund-which = What to refund? Nothing moves yet.
button-refund-order = 🖼 Order { $number } · { $sum } to the balance
button-refund-payment = 💳 Payment { $number } · { $price }
button-leave-it = Leave it
payment-refund-done = ✅ Refunded. The person has been told.
payment-refund-pending = ⏳ The sum has left the balance, and the refund is under way. I keep asking, and it ends by itself: look again in ten minutes.
payment-refund-refused-too_old = ❌ The payment service says this payment is unknown or too old to refund. The balance is as before.
payment-refund-refused-no_funds = ❌ There isn’t enough money on the shop’s account for this refund. The balance is as before: try again when there is.
payment-refund-refused-not_possible = ❌ The payment service refuses to refund this payment. The balance is as before.
payment-refund-too-large = ❌ Nothing was refunded: the balances have changed meanwhile. Look at the sums above and tap again.
payment-refund-closed = Nothing more was done: this payment is being refunded or was settled already.
payment-refund-no-till = Nothing was done: the till of this payment is switched off.
payment-refund-credit-nobody = Nothing was done: I don’t know who paid, or what this is worth now. You can refund it.
payment-refund-credited = ✅ Credited. The person has been told.

## Taps
tap-old-card = This card is out of date. Use the newest one, or start with /image{ $atBot }, /video{ $atBot } or /music{ $atBot }.
tap-not-yours = These buttons belong to somebody else. Send me a command of your own, for example /image{ $atBot }.
tap-unknown = This button no longer works. Start with /image{ $atBot }, /video{ $atBot } or /music{ $atBot }.
tap-draft-ordered = This is already paid and on its way.
tap-draft-cancelled = This card was cancelled. Start a new one with /image{ $atBot }, /video{ $atBot } or /music{ $atBot }.
tap-draft-replaced = There’s a newer card. Use that one, or start with /image{ $atBot }, /video{ $atBot } or /music{ $atBot }.

## API keys
command-keys = API keys
keys-title = API keys
keys-about = A key spends your balance through the HTTP API: <code>{ $address }</code>. Don’t give it to anybody.
keys-none = You have no keys yet.
keys-private-only = Keys are for your eyes only: send me /keys in our private chat.
keys-too-many =
    { $count ->
        [one] You have { $count } key, which is as many as you may have. Revoke one first.
       *[other] You have { $count } keys, which is as many as you may have. Revoke one first.
    }
key-coming = 🔑 Your new key is on its way…
key-not-shown = I couldn’t show you the new key, so I revoked it. Please try again.
key-created =
    Your new API key, shown only this once:

    <code>{ $key }</code>

    Keep it on your server. I’ll remove this message in { $minutes ->
        [one] { $minutes } minute.
       *[other] { $minutes } minutes.
    }
key-revoked = The key is revoked and no longer works.
key-never-used = not used yet
key-used-minutes = used { $minutes } min ago
key-used-hours = used { $hours } h ago
key-used-days =
    { $days ->
        [one] used { $days } day ago
       *[other] used { $days } days ago
    }
keys-revoke-ask = Revoke the key <code>{ $key }</code>? Programs that use it stop working at once.
button-new-key = ➕ New key
button-copy-key = 📋 Copy the key
button-key-saved = ✔️ Saved, remove
button-revoke-key = 🗑 Revoke

## Anything else
unknown-command = I don’t know this command. /help{ $atBot } shows what I can do.
unknown-command-meant = I don’t know this command. Did you mean { $command }?
command-names = image: picture, photo, pic, img, draw, paint; video: movie, clip, film; music: song, audio, track; balance: money, profile, account, history, orders, cabinet; topup: pay, buy, top_up, deposit; help: commands, info, price, prices, models; language: lang; cancel: stop, exit, reset; start: menu, new, restart
at-bot = { $atBot }
mention-empty = What should I make? Write it in the same message, for example: /image{ $atBot } a red fox in the snow. Or start with /video{ $atBot } or /music{ $atBot }.
update-given-up = Something went wrong on my side, and I couldn’t handle your last message. Please send it again; if you were paying, check your /balance first.
update-flood = You are sending faster than I can keep up, so I had to skip some of your messages. Please wait for my answers, then send again what went unanswered.
correction-given-up =
    Something went wrong on my side, and it isn’t certain whether this was carried out. Check that person’s balance before you repeat it:
    { $commands }
fault-try-again = Something went wrong on my side. Please try again in a few minutes.
fault-group-flooded = Telegram is limiting messages in this group right now. Please try again in a minute.
unreadable-voice = I can’t understand voice messages yet. Please write it as text.
unreadable-audio = I can’t listen to audio yet. Please describe in words what you want.
unreadable-video = I can’t use videos. Send me text, or a picture: a photo, or a PNG, JPEG or WebP file.
unreadable-gif = I can’t use GIFs. Send a photo, or a PNG, JPEG or WebP file.
unreadable-sticker = I don’t understand stickers. Please describe in words what you want.
unreadable-document = I can’t read this file. Please send the picture as a photo, not as a file: Telegram then converts HEIC and other formats for me. As files I take PNG, JPEG and WebP.
unknown-message = I understand text, photos and pictures sent as files, but nothing else yet. Describe what you want in words, or see /help.

## Corrections by admins
usage-credit =
    Usage: /credit{ $atBot } USER RUB [reason]
    USER is an id or a <code>@name</code>; leave it out when you reply to that person’s message. RUB is above zero, with at most two decimals.
    Example: <code>/credit{ $atBot } @anna 150 for the poster</code>
usage-debit =
    Usage: /debit{ $atBot } USER RUB [reason]
    USER is an id or a <code>@name</code>; leave it out when you reply to that person’s message. RUB is above zero, with at most two decimals.
    Example: <code>/debit{ $atBot } @anna 150 credited twice</code>
usage-balance =
    Usage: /balance for your own balance, /balance USER for that of a person, by id or <code>@name</code>.
    Example: <code>/balance @anna</code>
admin-own-words = You didn’t write this yourself: it was forwarded, or came from another bot. Nothing was done. If you mean it, type it here yourself.
admin-private-only = This is for admins only: send me this command in our private chat.
fault-person = “{ $word }” is neither an id nor a username.
fault-amount = “{ $word }” isn’t an amount. Write a number, such as 300 or 25.50.
fault-amount_missing = The amount is missing. Write a number, such as 300 or 25.50.
fault-amount_split = “{ $word }” isn’t an amount: write it without spaces.
fault-amount_twice = I don’t understand what “{ $word }” is: a second amount, or the reason? Nothing was changed. Send one amount, and a reason in words if you want one.
fault-two_meanings = You are replying to somebody, and “{ $word }” may be an id as well as an amount. Nothing was changed: send the command again without replying, with the id or username first.
person-stranger = I’ve never met this person. Ask them to send me /start first. A person whose username has changed can be found by id, which /balance shows to each person.
person-renamed = { $name } no longer belongs to the person I knew by that name. Nothing was done. Ask the person for their id, which /balance shows to them, and use that.
person-unchecked = I can’t check right now whose name { $name } is. Nothing was done. Use the person’s id, which /balance shows to them, or try again later.
balance-of = { $person }: <b>{ $balance }</b>
balance-none = { $person } has no account yet.
correction-too-large = Nothing was changed: { $person } has only { $balance }.
correction-too-large-group = Nothing was changed: { $person } doesn’t have that much.
correction-ask-credit = Add <b>{ $sum }</b> to the balance of { $person }? Please confirm.
correction-ask-debit = Deduct <b>{ $sum }</b> from the balance of { $person }? Please confirm.
correction-ask-over = This question has expired. Nothing was changed; send the command again if you mean it.
correction-cancelled = Cancelled, nothing was changed.
button-correct-credit = ✅ Add { $sum }
button-correct-debit = ✅ Deduct { $sum }
corrected-credit = { $sum } added to { $person }.
corrected-debit = { $sum } deducted from { $person }.
corrected-debt = Of this, { $debt } paid what an earlier refund had left them owing.
corrected-balance = Balance: { $balance }
correction-untold = I couldn’t tell them: they haven’t started a chat with me or have blocked me.
told-credit = <b>{ $sum }</b> was added to your balance. Your balance: { $balance }
told-debit = <b>{ $sum }</b> was deducted from your balance. Left: { $balance }
told-reason = Reason: { $reason }

## Unconfirmed orders: to their people
uncertain-what =
    It isn’t certain whether your order was accepted: { $model }, { $price }. No clear answer came back.
uncertain-next =
    I won’t send it again by myself, so you can’t be charged twice for it. An admin will look into it, and I’ll write to you.
uncertain-next-own =
    I won’t send it again by myself, so you can’t be charged twice for it. Check the service’s dashboard: if there’s a job for this order, it was charged. An admin will settle it with you, and I’ll write to you.
uncertain-repeated =
    I keep asking the service about this very order: that can’t charge you twice. Please don’t order it again, I’ll write to you once I know.
uncertain-balance-same =
    The balance is { $after }, as before the order. That is only a hint: a charge may still follow.
uncertain-balance-changed =
    The balance was { $before } before the order and is { $after } now. That is only a hint: something else may have changed it.
uncertain-again = You don’t have to wait: “Try again” opens the card once more. That is a new order, paid separately.
uncertain-charged = Your order was accepted after all: { $model }, { $price }. The result will come here when it’s ready.
uncertain-not_charged = Your order wasn’t accepted, and nothing was charged for it: { $model }, { $price }. You can try again.
button-connect-key = 🔑 Connect it
button-try-again = 🔁 Try again

## Unconfirmed orders: to admins
command-orders = Unconfirmed orders
orders-none = There are no unconfirmed orders.
orders-by-number = Send a number, for example { $example }. The last orders:
orders-no-one = There have been no orders yet.
orders-open =
    { $count ->
        [one] One unconfirmed order: it may or may not have been charged. Tap it to settle it.
       *[other] Unconfirmed orders: { $count }, newest first. Tap one to settle it.
    }
provider-paused = ⚠️ { $provider } takes no new tasks: { $reason }.
provider-throttled = ⚠️ { $provider } takes no new tasks: it asks to be left alone for a while.
provider-unreachable = ⚠️ { $provider } doesn’t answer: no connection can be made.
provider-models =
    { $elsewhere ->
        [moved] Its models go to another service.
        [some]
            { $off ->
                [one] One of its { $count } models is off for now, the others go to another service.
               *[other] { $off } of its { $count } models are off for now, the others go to another service.
            }
       *[off] Its models are off for now.
    }
provider-next-try = Next try: { $time }.
provider-tries-next = The next order will try it.
provider-is-checked = I check it every few seconds.
provider-waits-for-you = Resume it once it is fixed: I can’t see that myself.
button-resume = ▶️ Resume
provider-resuming = The next order will show whether it works.
provider-is-up = It already takes tasks.
notice-credit_low =
    💳 { $provider }: { $currency ->
        [kie_credit] { NUMBER($balance, maximumFractionDigits: 0) } credits are left, and the last 24 hours cost { NUMBER($spent, maximumFractionDigits: 0) }
        [RUB] { NUMBER($balance, maximumFractionDigits: 0) } ₽ are left, and the last 24 hours cost { NUMBER($spent, maximumFractionDigits: 0) } ₽
       *[other] { NUMBER($balance, maximumFractionDigits: 2) } { $currency } are left, and the last 24 hours cost { NUMBER($spent, maximumFractionDigits: 2) } { $currency }
    }. Top it up, or orders will wait.
notice-failures = 🔴 { $model }: { $count } orders in a row have failed. The log has the reason.
notice-provider_away = ⏸ { $provider } takes no tasks: { $reason }.
notice-provider_back = ✅ { $provider } takes tasks again.
notice-order_uncertain = ❓ Order { $number } ({ $model }) is uncertain: nobody knows whether it was accepted. An admin settles it with /orders in a private chat.
notice-new_person = 👤 { $user } is here for the first time.
notice-sale = 💰 { MONEY($kopecks) }: { $model }{ $origin ->
        [api] {""}, by the API
       *[bot] {""}
    }.
notice-events_lost = ⚠️ I can’t write to the event chat (EVENTS_CHAT_ID) any more. Add me there again, or allow me to write: then I’ll go on by myself. Reports wait for a day.
away-throttled = it has asked for fewer tasks
away-unreachable = it can’t be reached
summary-title = 🗂 { $count } events, summed up:
summary-new_person = 👤 { $count ->
        [one] { $count } new person
       *[other] { $count } new people
    }
summary-sale = 💰 { $count ->
        [one] { $count } sale
       *[other] { $count } sales
    }, { $sum }
summary-more = … and { $count } more of these
report-title = 📊 The day up to { $day } (a week ago in brackets)
report-paid = Paid in: { $value } ({ $before })
report-returned = Taken back for refunds: { $value } ({ $before })
report-given = Gifts, rewards, corrections: { $value } ({ $before })
report-people = New people: { $value } ({ $before })
report-buyers = Who ordered: { $value } ({ $before })
report-orders = Orders: { $value } ({ $before })
report-income = Spent on orders: { $value } ({ $before })
report-spent = Charged by the service: { $value } ({ $before })
report-refunds = Refunded for orders: { $value } ({ $before })
report-cost = Cost: { $value } ({ $before })
report-margin = Margin of orders, gifts included: { $value } ({ $before })
report-cost-unknown = Cost and margin: unknown, as a service doesn’t tell a cost or its currency has no rate.
report-models = Best models:
report-model = { $place }. { $title }: { $sum }, { $orders ->
        [one] { $orders } order
       *[other] { $orders } orders
    }
notice-payment_held = ⚠️ Payment { $number } has arrived and belongs to no invoice: { $price } from { $user }. It is held. /refund { $number } shows it: you can return it or credit it.
notice-payment_refunded = ↩️ Payment { $number } ({ $price } from { $user }) was refunded elsewhere and has left the balance.{ $owed ->
    [0] {""}
   *[other] {" "}The balance lacked { $owed } ₽: whatever is added next pays it first.
}
notice-payment_partly_refunded = ⚠️ { $refunded } ₽ of payment { $number } ({ $price } from { $user }) were refunded elsewhere, and that part has left the balance. /refund { $number } returns the rest.{ $owed ->
    [0] {""}
   *[other] {" "}The balance lacked { $owed } ₽: whatever is added next pays it first.
}
notice-refund_waits = ⚠️ The refund of payment { $number } ({ $price } to { $user }) was begun over an hour ago and hasn’t ended. I keep asking. See what { $till } says of it, and what the log says.
notice-payments_unread = ⚠️ I can’t read { $count ->
        [one] one transaction
       *[other] { $count } transactions
    } in the list of { $till }: { $names }. All the others are taken. Look at them there: if somebody has paid, /credit gives it to them.
notice-till_refuses = ⚠️ { $till } refuses to create payments: { $status } { $code }. Nothing is charged, and people can’t pay there. Check the shop’s id and key, and its dashboard.
notice-models_cut = ⚠️ The service lists { $all } models. People see only the first { $shown }.
notice-restored =
    ⚠️ The data is that of a backup made on { $date } UTC; what came after is lost. { $open ->
        [0] Nothing was being made in it.
        [one] One task in it was being made; it is not sent to its service again.
       *[other] { $open } tasks in it were being made; none is sent to its service again.
    } { $lost ->
        [-1] How many tasks services were sent since then is unknown.
        [0] Services were sent nothing since then.
        [one] One task sent to a service since then is unknown here.
       *[other] { $lost } tasks sent to services since then are unknown here.
    }
notice-backup_failed = ⚠️ The backup failed: { $reason }. I keep trying; /readyz and /metrics show when one is made again.
notice-prices_below_cost =
    ⚠️ Sold below cost:
    { $losses }
    { $more ->
        [0] Raise the prices in OFFERS_FILE, or set a floor there.
        [one] And one more. Raise the prices in OFFERS_FILE, or set a floor there.
       *[other] And { $more } more. Raise the prices in OFFERS_FILE, or set a floor there.
    }
notice-prices_below_cost-losses = • { $title }, { $service }: { MONEY($price) }, which costs { MONEY($cost) }
notice-rates_old =
    ⚠️ The exchange rates are { $days ->
        [one] { $days } day
       *[other] { $days } days
    } old, and costs are computed with them. Give today’s in OFFERS_FILE as rates and rates_at.
provider-resumed = ✅ { $provider } takes tasks again.
pause-no_credit = its account is out of money
pause-locked = its account is locked
pause-key_refused = it refuses the key
order-news = ⚠️ We don’t know whether an order was charged.
order-title = Order { $number }
order-balance = Balance before: { $before }, after: { $after } (a hint, not proof)
order-open =
    { $count ->
        [one] Look for its job in the service’s dashboard, near this time. Is there one? Then it was charged.
       *[other] Look for its { $count } jobs in the service’s dashboard, near this time. Are they there? Then it was charged.
    }
order-open-own =
    { $count ->
        [one] Only this person sees their account: ask them to look for the job in the service’s dashboard, near this time. Is there one? Then it was charged, and they can tell you its id.
       *[other] Only this person sees their account: ask them to look for the { $count } jobs in the service’s dashboard, near this time. Are they there? Then it was charged, and they can tell you the ids.
    }
order-repeated = The bot repeats this order with its own key until { $until }: the service can’t charge it twice. Once it answers, the order settles itself; the button below ends the repeats.
order-was-charged = Settled: it was charged. Jobs: { $ids }. The person gets the result when it’s ready.
order-was-not-charged = Settled: it wasn’t charged. The person can try again.
order-take-back = Was it charged after all? Send /order { $number } JOB_ID.
order-looks-charged = ⚠️ The balance has fallen.
order-surely = Was this order really not charged? The person will be told that { $sum } stayed on the balance.
order-settled-before = This order has already been settled.
order-gone = This order no longer exists.
order-ask-job =
    { $count ->
        [one] Send the job id of order { $number }.
       *[other] Send the { $count } job ids of order { $number }, separated by spaces.
    } { $type ->
        [music] Example: music_123
       *[other] Example: 123
    }
button-order-charged = ✔️ Charged
button-order-not-charged = ❌ Not charged
button-order-surely = ❌ Yes, not charged
button-order-list = All orders
usage-order =
    Usage: /order NUMBER, or /order NUMBER JOB_ID where it was charged
    /orders shows the numbers. Example: /order 12
order-fault-word = “{ $word }” isn’t the number of an order.
order-fault-unknown = There’s no unconfirmed order with the number “{ $word }”.
job-example =
    { $type ->
        [music] Example: music_123
       *[other] Example: 123
    }
job-fault-id = “{ $word }” isn’t a job id.
job-fault-count =
    { $count ->
        [one] This order has one job, but you sent { $given } ids. Send one id.
       *[other] This order has { $count } jobs, but you sent { $given }. Send all { $count } ids in one message, separated by spaces.
    }
job-fault-missing = The account of this order has no job “{ $word }”. Check the id and send it again.
job-fault-type =
    Job “{ $word }” is { $found ->
        [video] a video
        [music] a song
       *[image] an image
    }, but this order is { $type ->
        [video] a video
        [music] a song
       *[image] an image
    }. Check the id and send it again.
job-fault-taken = Job “{ $word }” already belongs to another order. Check the id and send it again.
job-fault-newer = The person has ordered from this model again since, so this order stays settled. Job “{ $word }” wasn’t taken.
job-fault-no_key = No working key of this person’s account is connected, so job “{ $word }” can’t be checked. Nothing was changed. Ask them to send me one with /connect, then send the id again.
job-fault-unchecked = The service doesn’t answer, so job “{ $word }” can’t be checked right now. Nothing was changed. Send the id again later.

## A service elsewhere (CORE=api)

balance-now-shared = The balance you share with everyone here: <b>{ $balance }</b>
balance-elsewhere = I don’t keep balances here: everyone shares one account at the service. You can see it and top it up in the service’s dashboard.
start-balance-shared = The shared balance: <b>{ $balance }</b>
corrections-elsewhere = I can’t change balances here: the account belongs to the service that makes the files. Top it up in the service’s dashboard.
pay-other-sum = The service charged { $charged } for this; I had shown { $quoted }.
picture-links_only = I can’t pass your pictures on here. Send me a link to the picture instead: it must start with https:// and open without a login.
fault-unreachable = The service that makes the files isn’t answering right now. Please try again in a few minutes.
pay-slow = The service hasn’t answered yet. Please don’t order this again: I’ll tell you what comes of it.

## Monthly limits on a shared account

limit-exceeded = Nothing was charged: this costs { $price }, and you have { $left } of your monthly limit left. It renews on { $date } (UTC).
limit-exceeded-group = Nothing was charged: this is more than what’s left of your monthly limit. It renews on { $date } (UTC). To see it, send me /balance in our private chat.
limit-own = Your monthly limit: { $left } of { $limit } is left. It renews on { $date } (UTC).
limit-of = { $person }: up to <b>{ $limit }</b> a month.
limit-none = { $person } has no monthly limit.
limit-removed = { $person } no longer has a monthly limit.
limit-spent = Spent this month: { $spent }.
limit-spent-left = Spent this month: { $spent }. Left: { $left }. The limit renews on { $date } (UTC).
limit-shared-only = Limits are for people who share one account. Here everyone has a balance of their own.
usage-limit =
    Usage: /limit USER RUB sets what a person may spend in a month, /limit USER off removes the limit, /limit USER shows it.
    USER is an id or a <code>@name</code>. Example: <code>/limit @anna 500</code>

## Accounts that people connect with keys of their own (CORE=api without CORE_API_KEY)

command-connect = Connect your account
command-disconnect = Disconnect your account
help-connect =
    Your balance is kept by the service that makes the files, in your own account there.
    /connect – connect the account with an API key from the service’s dashboard
    /disconnect – disconnect it
connect-first = First connect your account: create an API key in the service’s dashboard and send it to me with /connect.
connect-first-group = First connect your account: open our private chat and send me /connect there.
connect-refused = The service isn’t accepting your key right now. Try again in a minute, or send me another key: /connect
connect-refused-group = The service isn’t accepting your key right now. Send me /connect in our private chat.
connect-ask = 🔑 Send me the API key of your account as your next message. You can create one in the service’s dashboard. I’ll delete your message and keep the key encrypted.
connect-offer = 🔑 This looks like an API key, so I deleted your message. Connect this key instead of the current one?
connect-offer-taken = 🔑 Checking the key…
connect-offer-over = I no longer have that key. Send it again with /connect.
connect-left = All right, nothing was changed.
connect-no-key = This doesn’t look like an API key: it should be one long word without spaces. Copy it from the service’s dashboard and send /connect with the key after it.
connect-key-refused = The service doesn’t accept this key. Create another one in its dashboard and send /connect with the key after it.
connect-too-many = Too many of your keys didn’t work. Please wait an hour, then send /connect with a new key from the service’s dashboard.
connect-unavailable = The service isn’t answering right now, so the key was neither checked nor kept. Please send /connect with the key again in a few minutes.
connect-in-group = Others may have read this key, so I didn’t take it. Revoke it in the service’s dashboard, and delete your message if it is still here. Send a new key only in our private chat.
connect-private-only = This works in our private chat only: your account is nobody else’s business.
connected = ✅ Your account is connected. Your balance: <b>{ $balance }</b>
connected-resumed =
    { $count ->
        [one] Your order that was waiting goes on.
       *[other] Your { $count } orders that were waiting go on.
    }
connected-earlier-followed =
    { $count ->
        [one] An order from your earlier account is still under way. It will arrive here too.
       *[other] { $count } orders from your earlier account are still under way. They will arrive here too.
    }
connected-earlier-waiting =
    { $count ->
        [one] This key belongs to another account than your open order. To receive that order, connect a working key of its account too.
       *[other] This key belongs to another account than { $count } of your open orders. To receive them, connect a working key of their account too.
    }
disconnected = Your account is disconnected, and I have forgotten its key.
disconnected-open =
    { $count ->
        [one] Your account is disconnected. An order is still under way: it will arrive here, and then I forget the key too.
       *[other] Your account is disconnected. { $count } orders are still under way: they will arrive here, and then I forget the key too.
    }
disconnect-nothing = No account is connected. To connect one, send /connect.
key-stopped = ⚠️ Your API key no longer works. Create another one in the service’s dashboard and send it to me with /connect.
key-stopped-open =
    { $count ->
        [one] Your open order waits for a key of the same account.
       *[other] Your { $count } open orders wait for a key of the same account.
    }
key-stopped-earlier =
    { $count ->
        [one] ⚠️ The key of your earlier account no longer works, so an order from it waits. To receive it, connect another key of that account: /connect
       *[other] ⚠️ The key of your earlier account no longer works, so { $count } orders from it wait. To receive them, connect another key of that account: /connect
    }
pay-unavailable-account = Nothing was charged: I have no working key of your account. Send me one in our private chat: /connect
balance-elsewhere-own = I don’t keep balances here: everyone has their own account at the service, to see and top up in its dashboard.

command-settings = Settings
settings-about = Settings
settings-private-only = Settings are in our private chat only.
button-my-data = 🗂 My data
my-data-about =
    <b>My data</b>
    I keep your orders, your drafts and each movement of your balance, and the files of orders for a while.
    You can get all of it as a file, or have it erased.
button-my-data-export = 📄 Get it as a file
my-data-export-begun = I’m putting it together…
my-data-file = This is everything I store about you. It’s best opened on a computer.
button-my-data-forget = Forget me
my-data-forget-ask =
    <b>Forget you?</b>
    Your descriptions, pictures, results, drafts, name and API keys are erased for good. Messages in this chat stay: only you can delete them.
    Movements of your balance and payments stay, as the law asks for, with the reasons an admin gave for corrections and bans, and none of your words. The file has them too.
my-data-forget-balance = Your balance of { $balance } stays yours: write to me again and it is there. If you want to spend it or get it back, do that first.
my-data-forget-orders = Some of your orders are still under way. I’ll erase everything when they have ended.
button-my-data-forget-all = Forget everything
my-data-forget-begun = I’ll write when it’s done. That takes a minute, or until your last order has ended.
my-data-forgotten = Done: everything I knew about you is erased. To begin anew, send /start.

## Accounts and bans, for admins
person-hidden = The author hides their account in forwarded messages. Name them by id or @name.
fault-until = “{ $word }” isn’t a time to come: write 12h, 7d, 2w or a date such as 2026-12-31.
usage-ban =
    Usage: /ban PERSON [reason] [until]
    PERSON is an id or a <code>@name</code>; leave it out when you reply to a message forwarded from that person. Until is 12h, 7d, 2w or a date; without it the ban lasts until /unban.
    Example: <code>/ban @anna spam 7d</code>
usage-unban =
    Usage: /unban PERSON
    PERSON is an id or a <code>@name</code>.
    Example: <code>/unban @anna</code>
ban-admin = An admin can’t be banned.
ban-until = Until { $until }
banned = 🚫 { $person } can’t order now. Their money stays theirs, and what they paid for is still delivered.
banned-before = 🚫 { $person } was banned like this before. Nothing was changed.
unbanned = ✅ { $person } can order again.
not-banned = { $person } isn’t banned. Nothing was changed.
told-ban = 🚫 You can’t place orders for now. The money on your balance stays yours, and what you have paid for still arrives. If this is a mistake: /support
told-unban = ✅ You can order again.
told-message =
    ✉️ From an admin:

    { $text }
account-ask-person = Whose account? Send an id or a @name, forward a message of that person, or choose from your list below.
button-pick-person = 👤 Choose
account-balance = Balance: <b>{ $balance }</b>
account-since = Here since { $since }
account-seen = Last wrote: { $seen }
account-seen-hour = less than an hour ago
account-banned = 🚫 Can’t order
account-entries = Balance changes
account-entry-credit = added
account-entry-debit = deducted
account-entry-charge = paid
account-entry-refund = refunded
account-orders = Orders
account-payments = Payments
account-payment-credited = credited
account-payment-unmatched = held
account-payment-refunding = being refunded
account-payment-refunded = refunded
account-keys = API keys
account-consents = Agreed to
account-notes = Notes
models-sold = { $count } models, { $off } switched off. People can’t see those.
model-is-off = 🔴 Off: nobody can order it. What was ordered before is made.
model-is-on = 🟢 On, while a service makes it.
model-note = Note for people ({ $language }): ⚠️ { $note }
model-ask-note = { $language }: what note should people see with this model, on cards and in lists? One line of at most { $max } characters, such as: slow today. /cancel leaves it as it is.
button-model-off = 🔴 Switch off
button-model-on = 🟢 Switch on
button-model-note = 📝 Note: { $language }
button-model-clear = 🗑 Remove note
account-noted = Noted. Only admins see notes; the person finds them in a copy of their data.
account-message-sent = Sent.
account-ask-credit = How much to add to { $person }? A sum in rubles; a reason may follow, which they will see.
account-ask-debit = How much to deduct from { $person }? A sum in rubles; a reason may follow, which they will see.
account-ask-message = What to write to { $person }? I’ll send it as the bot.
account-ask-note = What to note about { $person }? Only admins see it.
account-ask-ban = Why can’t { $person } order from now on? A reason, and until when if it ends: 12h, 7d, 2w or a date. To give neither, send -
button-credit = ➕ Add
button-debit = ➖ Deduct
button-message = ✉️ Write
button-note = 📝 Note
button-account-whole = 📄 All details
button-ban = 🚫 Stop orders
button-unban = ✅ Allow orders
order-state-claimed = confirmed
order-state-accepted = being made
order-state-delivering = being delivered
order-state-closed = closed
order-state-refused = not charged
order-state-uncertain = unclear
refused-account_banned = You can’t place orders for now. The money on your balance stays yours, and what you have paid for still arrives. If this is a mistake: /support
## Messages to many people
command-broadcast = A message to many people
broadcast-ask = Send me the message as people should read it: words with formatting, a picture, a video, anything but an album. /cancel ends this.
broadcast-no-album = I can’t send albums. Send a single message, please.
broadcast-audience =
    { $count ->
        [0] Nobody matches. Change whom it is for:
        [one] Above is how it will look. { $count } person gets it. Tap to change whom it is for:
       *[other] Above is how it will look. { $count } people get it. Tap to change whom it is for:
    }
broadcast-kind-news = 📰 News: all subscribers
broadcast-kind-important = ❗️ Important: to everybody
broadcast-days-all = 🗓 Everyone who wrote
broadcast-days =
    { $days ->
        [one] 🗓 Wrote in the last day
       *[other] 🗓 Wrote in the last { $days } days
    }
broadcast-locale-all = 🌍 All languages
broadcast-balance-any = 💰 Any balance
broadcast-balance-positive = 💰 With money on the balance
broadcast-balance-empty = 💰 With an empty balance
button-broadcast-send = 📣 Send to { $count }
button-broadcast-stop = ⏸ Stop
button-broadcast-resume = ▶️ Go on
broadcast-running = 📣 Sending: { $sent } of { $total }. Blocked me: { $blocked }, failed: { $failed }.
broadcast-stopped = ⏸ Stopped: { $sent } of { $total } sent, { $left } left. Blocked me: { $blocked }, failed: { $failed }.
broadcast-message-gone = ⏸ I’ve stopped sending: the message for people is no longer in this chat.
broadcast-done = ✅ Sent to { $sent } of { $total }. Blocked me: { $blocked }, failed: { $failed }.
broadcast-cancelled = Nothing is sent.
settings-news-on = 🔔 News: on
settings-news-off = 🔕 News: off
button-news-off = 🔕 No more news
news-off = I won’t send you news any more. /settings turns them on again.
news-on = I’ll send you news again.

## Orders and acts, for admins
order-unknown = There’s no order “{ $word }”.
story-confirmed = confirmed at { $sum }
story-charged = charged { $sum }
story-refunded = refunded { $sum } ({ $actor })
story-begun = begun
story-sent = sent to { $provider } (try { $number }, { $state })
story-accepted = accepted by { $provider }: <code>{ $ref }</code>
story-made = made
story-failed = failed: { $reason }
story-forgotten = This person asked to be forgotten: name, words and files are gone.
story-delivered =
    { $count ->
        [0] delivered
        [one] delivered, { $count } file
       *[other] delivered, { $count } files
    }
story-lost = not delivered: { $outcome }
story-delivering = Being delivered; failed tries: { $attempts }. { $outcome }
story-more = … and { $count } more
story-files-gone = Telegram no longer has these files for me.
button-files = 📎 Files
button-refund = ↩️ Refund { $sum } to the balance
button-refund-sure = ✅ Yes, refund { $sum } to the balance
button-settle = Settle
button-account = 👤 Account
refund-ask = Refund { $sum } for order { $number } to the balance of { $name } (id { $id })? Files that were sent stay with them.
refund-done = { $sum } refunded.
refund-repeated = Refunded before: { $sum }. Nothing was changed.
refund-running = It’s still being made. If it fails, the money returns by itself.
refund-nothing = There’s nothing left to refund.
told-refund = ↩️ { $sum } for order { $number } ({ $model }) was returned to you. Your balance: { $balance }
audit-title = What admins did
audit-none = Nothing is recorded here yet.
actor-service = the service
actor-ctl = the command line
act-ban = orders stopped
act-unban = orders allowed
act-credit = money added
act-debit = money deducted
act-message = message
act-note = note
act-refund = refund
act-admin_add = new admin
act-admin_remove = admin removed
act-forget = asked to be forgotten
act-forgotten = data erased
act-model = model
act-promo = promo code
act-see-files = looked at files
act-broadcast = broadcast
act-broadcast_stop = broadcast stopped
act-broadcast_resume = broadcast resumed
act-support_answer = answer from support
audit-field-until = until { $value }
audit-field-owed = owed { $value }
audit-field-note = note: { $value }
audit-field-total = { $value } recipients
audit-field-off =
    { $value ->
        [true] off
       *[other] on
    }
till-stars = Telegram Stars
till-yookassa = YooKassa
audit-account = account { $number }
act-reload = had files read anew
subject-order = order { $name }
subject-admin = { $name }
subject-model = model { $name }
subject-payment = payment { $name }
subject-promo = code { $name }
subject-broadcast = message { $name }
subject-offers = prices and offers
subject-moderation = rules for words
button-newest = ⏮ Newest

## Figures for admins
button-stats =
    { $span ->
        [week] 7 days
        [month] 30 days
       *[today] Today
    }
stats-title =
    { $span ->
        [week] 📊 7 days
        [month] 📊 30 days
       *[today] 📊 Today
    }, since { $since }
stats-people = People: { $fresh } new, { $returning } returning
stats-orders = Orders: { $orders }, { $buyers ->
        [one] { $buyers } buyer
       *[other] { $buyers } buyers
    }
stats-paid = Paid in{ $by ->
        [none] {""}
       *[other] {""}, { $by }
    }: { $paid }{ $hasReturned ->
        [0] {""}
       *[1] {""}, taken back { $returned }
    }
stats-given = Given without payment: gifts { $gifts }, rewards { $rewards }, by admins { $corrections }
stats-stars = The bot’s Stars: { $stars } ⭐
stats-income = Spent on orders: { $income } (refunded: { $refunds })
stats-margin = Cost: { $cost }. Margin of orders, gifts included: { $margin }
stats-left = Left of what was paid in: { $left }
stats-unknown = unknown
stats-queue = Queue: { $waiting } waiting, { $generating } being made
stats-oldest = The oldest waits since { $since }
stats-failures = Failures:
stats-failure = { $model }: { $reason }, { $jobs }
stats-reason =
    { $reason ->
        [timeout] took too long
        [memory] too little memory
        [storage] not saved
        [reference] unreadable photo
        [refused] refused by the service’s rules
        [lost] lost by the service
        [unavailable] nobody could make it
       *[provider] the model failed
    }
stats-chart =
    { $span ->
        [today] Columns: spent on orders by hour, the highest is { $highest }.
       *[other] Columns: spent on orders by day, the highest is { $highest }.
    } Red: refunded.
