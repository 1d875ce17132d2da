type Payload = Readonly<Record<string, unknown>>;

/** What one provider remembers, of all kinds. */
export class ProviderStore {
  private readonly kept = new Map<string, Payload>();

  /** The class that the provider makes its adapters of, one for each kind. */
  adapter() {
    const { kept } = this;
    return class {
      constructor(readonly kind: string) {}

      async upsert(id: string, payload: Payload): Promise<void> {
        kept.set(`${this.kind}/${id}`, payload);
      }

      async find(id: string): Promise<Payload | undefined> {
        return kept.get(`${this.kind}/${id}`);
      }

      async findByUid(uid: string): Promise<Payload | undefined> {
        return this.all().find(([, payload]) => payload.uid === uid)?.[1];
      }

      async consume(id: string): Promise<void> {
        const key = `${this.kind}/${id}`;
        kept.set(key, { ...kept.get(key), consumed: Math.floor(Date.now() / 1_000) });
      }

      async destroy(id: string): Promise<void> {
        kept.delete(`${this.kind}/${id}`);
      }

      async revokeByGrantId(grantId: string): Promise<void> {
        for (const [key, payload] of this.all()) if (payload.grantId === grantId) kept.delete(key);
      }

      private all(): [string, Payload][] {
        return [...kept].filter(([key]) => key.startsWith(`${this.kind}/`));
      }
    };
  }
}
