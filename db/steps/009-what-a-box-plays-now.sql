-- Expands: what plays now is what the box that is in has said last, whichever server stores first.
alter table presence add column token_nonce text, add column watched timestamptz;
