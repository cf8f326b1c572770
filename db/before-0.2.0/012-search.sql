-- How often a term is found in what is searched. The planner believes no numbers that come with a partial index, as that
-- of the trigrams is, and took every long term for a rare one.
create statistics client_search_text on (search_text(name, description, mac, phone)) from client;
analyze client;
