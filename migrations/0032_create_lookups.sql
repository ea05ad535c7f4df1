-- A purchase about which Apple is to be asked, or was asked less than ten minutes ago: one of a receipt that the person
-- `user_id` showed, or, of nobody (0), one that an unsigned notification named. It is owed from `asked_at` until
-- `answered_at` is set. `app` is the bundle id that was named beside it, which may be any text, or none, `environment`
-- the one in which the receipt counts. `account` is set for a receipt that nobody vouches for: only what this Apple
-- account bought is claimed. `is_fresh` says that Apple vouches for a receipt of the last 24 hours, `is_proven` that
-- the answer was claimed with the proof of an Apple account, `is_unknown` that Apple does not know the purchase; such a
-- row is kept until the day (UTC) is over.
CREATE TABLE IF NOT EXISTS lookups (
    user_id BIGINT UNSIGNED NOT NULL,
    transaction_id VARCHAR(20) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    account VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    is_fresh BOOLEAN NOT NULL DEFAULT FALSE,
    asked_at BIGINT NOT NULL,
    answered_at BIGINT NULL,
    is_proven BOOLEAN NOT NULL DEFAULT FALSE,
    is_unknown BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (user_id, transaction_id),
    KEY by_answer (answered_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
