-- Operators look a transaction up by the store's number alone.
ALTER TABLE apple_iap_transactions ADD INDEX IF NOT EXISTS by_transaction_id (transaction_id);
