-- Operators look a purchase up by the store's number alone.
ALTER TABLE purchases ADD INDEX IF NOT EXISTS by_external_id (external_id);
