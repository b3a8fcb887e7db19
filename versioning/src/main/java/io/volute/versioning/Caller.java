package io.volute.versioning;

/**
 * On whose behalf a request runs.
 *
 * @param principal the account that owns what the request makes
 * @param accessKey with which the request was signed; empty for one that was not
 * @param actor who acts, in the words of causality, among those with this access key: a session, a
 *     name that the client gave, or its address and program
 */
public record Caller(String principal, String accessKey, String actor) {}
