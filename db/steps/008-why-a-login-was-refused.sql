-- Expands: every server knows why a box's right login was refused.
alter table box_login add column token_nonce text, add column refusal text;
