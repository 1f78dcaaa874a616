import type { ShopPayment } from "./shop.js";
import { textOfKopecks } from "./shop-requests.js";

/** Draws the page on which a person of the demo really pays. */
export function paymentPage({ id, kopecks, wanted, status }: ShopPayment): string {
  const sum = `${textOfKopecks(kopecks)} ₽`;
  const forms = `<form method="post" action="/pay/${id}">
<button name="act" value="pay" class="pay">Pay ${sum}</button>
<button name="act" value="refuse">Refuse the card</button>
</form>`;
  const words = {
    pending: `<p>${escapeText(wanted.description ?? "")}</p>${forms}`,
    succeeded: "<p>Paid. Go back to the chat.</p>",
    canceled: "<p>Not paid. Go back to the chat.</p>",
  };
  return shell(sum, words[status]);
}

/** Draws what is shown where there is no such payment. */
export function missingPage(): string {
  return shell("Payment", "<p>There is no such payment.</p>");
}

function shell(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} – stand-in of YooKassa</title>
<style>body{font:18px system-ui;max-width:24rem;margin:3rem auto;padding:0 1rem}
button{font:inherit;display:block;width:100%;padding:.8rem;margin:.6rem 0;border:1px solid #999;border-radius:.6rem}
.pay{background:#0b63e5;color:#fff;border:0}small{color:#555}</style></head>
<body><h1>${title}</h1>${body}<small>A stand-in of YooKassa: no money moves.</small></body></html>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
