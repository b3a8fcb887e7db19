package io.volute.versioning;

/**
 * On whose behalf a request runs.
 *
 * @param principal the account that owns what the request makes
 * @param actor who acts, in the words of causality: session, named actor, or access key and client
 */
public record Caller(String principal, String actor) {}
