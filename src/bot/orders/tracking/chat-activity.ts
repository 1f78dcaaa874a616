export class ChatActivity {
  readonly #uploads = new Map<number, number>();

  isUploading(chatId: number): boolean {
    return this.#uploads.has(chatId);
  }

  /** Returns the function that ends the upload. Calling it again has no effect. */
  beginUpload(chatId: number): () => void {
    this.#uploads.set(chatId, (this.#uploads.get(chatId) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#uploads.get(chatId) ?? 1) - 1;
      if (left > 0) this.#uploads.set(chatId, left);
      else this.#uploads.delete(chatId);
    };
  }
}
