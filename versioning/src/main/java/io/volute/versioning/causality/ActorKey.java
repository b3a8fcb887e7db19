package io.volute.versioning.causality;

/**
 * What the requests of one actor have in common.
 *
 * @param name of the session, or as the client calls itself, or its address and user agent
 */
public record ActorKey(String accessKey, String name) {}
