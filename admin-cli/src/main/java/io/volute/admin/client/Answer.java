package io.volute.admin.client;

import java.util.Map;

/**
 * An answer of the server.
 *
 * @param value the fields that this version knows
 * @param fields all of them, as {@code --json} prints them
 */
public record Answer<A>(A value, Map<String, Object> fields) {}
