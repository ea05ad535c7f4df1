-- Nothing looks a state up by its text, and every insert paid for it at a random place.
ALTER TABLE apple_iap_transactions DROP INDEX IF EXISTS by_jws_hash;
