-- The details of an erasure name every act on others whose words it took, however many there are.
ALTER TABLE audit_notes MODIFY COLUMN IF EXISTS details MEDIUMTEXT NOT NULL;
