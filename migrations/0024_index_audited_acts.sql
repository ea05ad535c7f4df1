-- Operators list the sandbox testers: whom an act of one kind was about is found without reading the whole trail.
ALTER TABLE audit_entries ADD INDEX IF NOT EXISTS by_action (action, subject);
