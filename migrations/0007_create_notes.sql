-- Words of operators and apps, by the salted digest that stands in the entries they go with, under the pseudonyms of
-- the people whom they are about: erasing one of them deletes the row.
CREATE TABLE IF NOT EXISTS notes (
    digest BINARY(32) NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    other_user_id BIGINT UNSIGNED NULL,
    salt BINARY(16) NOT NULL,
    content MEDIUMTEXT NOT NULL,
    PRIMARY KEY (digest),
    KEY by_user (user_id),
    KEY by_other_user (other_user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
