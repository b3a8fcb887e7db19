/**
 * The part of AWS's Identity and Access Management that the stored identities can carry: users,
 * access keys, groups, roles and policies by its Query API on POST /; and the Security Token
 * Service, which opens sessions.
 */
package io.volute.server.iam;
