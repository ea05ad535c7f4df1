-- Operators look for Apple accounts whose purchases several people have.
ALTER TABLE apple_iap_transactions ADD INDEX IF NOT EXISTS by_account (app_transaction_id, user_id);
