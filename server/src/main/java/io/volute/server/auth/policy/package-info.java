/**
 * The one decision on who may do what, and IAM's policy language, from which it is made. Pure
 * functions: {@link io.volute.server.auth.policy.Policy} reads a document, {@link
 * io.volute.server.auth.policy.Authorizer} decides.
 */
package io.volute.server.auth.policy;
