-- The account token of a guest who was merged into another account: it names that person from then on, beside their own.
CREATE TABLE IF NOT EXISTS merged_tokens (
    token BINARY(16) NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    issued_at BIGINT NOT NULL,
    PRIMARY KEY (token),
    KEY by_user (user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
