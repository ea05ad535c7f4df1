-- What Apple was asked about a person, and what is still owed: one walk through the history of one Apple account of an
-- app. `account` is the label of the Apple account, or the original transaction id where the purchase names no account.
-- The walk asks by `transaction_id` and goes on after `revision`; it is owed until `answered_at` is set. `proven_at` is
-- when the person last proved the account.
CREATE TABLE IF NOT EXISTS history_walks (
    user_id BIGINT UNSIGNED NOT NULL,
    app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    account VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    transaction_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    proven_at BIGINT NULL,
    revision TEXT NULL,
    asked_at BIGINT NOT NULL,
    answered_at BIGINT NULL,
    recovered INT UNSIGNED NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, app, environment, account)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
