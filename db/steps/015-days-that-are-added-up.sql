-- Expands: what the transactions of a busy day add up to is kept.
create table busy_day (
  account bigint not null,
  began timestamptz not null,
  ended timestamptz not null,
  type text not null,
  transactions integer not null,
  credits bigint not null,
  constraint busy_day_pkey primary key (account, began, type),
  constraint busy_day_account_fk foreign key (account) references account (id)
);

create index busy_day_ended on busy_day (ended);
