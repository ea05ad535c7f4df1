-- With the number first, the index of identities is the one that operators search by too.
ALTER TABLE purchases
    DROP INDEX IF EXISTS by_identity,
    DROP INDEX IF EXISTS by_external_id,
    ADD UNIQUE INDEX by_external_id (external_id, source, app, environment);
