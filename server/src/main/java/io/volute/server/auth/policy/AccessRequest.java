package io.volute.server.auth.policy;

/**
 * What somebody wants to do.
 *
 * @param action by the name that policies use
 * @param resource ARN of what it is done to
 */
public record AccessRequest(
        Principal who, String action, String resource, ConditionKeys conditions) {}
