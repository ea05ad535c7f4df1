-- The random UUID that an app hands to the App Store for this person.
CREATE TABLE IF NOT EXISTS account_tokens (
    user_id BIGINT UNSIGNED NOT NULL,
    token BINARY(16) NOT NULL,
    issued_at BIGINT NOT NULL,
    PRIMARY KEY (user_id),
    UNIQUE KEY by_token (token)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
