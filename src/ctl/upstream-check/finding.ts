export interface Finding {
  /** False for what changes nothing, such as a field that no page names. */
  matters: boolean;
  text: string;
}

export function differs(text: string): Finding {
  return { matters: true, text };
}

export function note(text: string): Finding {
  return { matters: false, text };
}
