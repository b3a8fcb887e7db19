package io.volute.server.identity;

import java.time.Instant;

/** A policy with a name, for any number of holders. */
public record ManagedPolicy(String name, Instant changed, String document) {}
