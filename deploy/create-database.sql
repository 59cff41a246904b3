-- Creates the role and the database of Tocsin on an empty PostgreSQL. Run it as a superuser: psql -v ON_ERROR_STOP=1 -f this-file.
-- The role has no rights outside its database. The password is read from the environment, so it is on no command line.
\set password `printenv DATABASE_PASSWORD`
CREATE ROLE tocsin LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'password';
CREATE DATABASE tocsin OWNER tocsin TEMPLATE template0 ENCODING 'UTF8';
REVOKE ALL ON DATABASE tocsin FROM PUBLIC;
