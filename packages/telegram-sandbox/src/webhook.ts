/** The address that updates would go to. The sandbox keeps it and delivers nothing there. */
export interface Webhook {
  url: string;
}
