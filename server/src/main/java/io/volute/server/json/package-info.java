/**
 * JSON documents as maps and lists, for all that reads or writes it: policies, identities,
 * sessions, the admin API and the {@code volute} command.
 */
package io.volute.server.json;
