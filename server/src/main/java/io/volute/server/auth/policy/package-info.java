/**
 * Access decisions, and IAM's policy language, on which they are based. Pure functions: {@link
 * io.volute.server.auth.policy.Policy} reads a document, {@link
 * io.volute.server.auth.policy.Authorizer} decides.
 */
package io.volute.server.auth.policy;
