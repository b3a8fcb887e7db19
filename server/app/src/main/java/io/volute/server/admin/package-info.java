/**
 * The admin API under {@code /_volute/v1/}: JSON, for the root user, behind the same authenticator
 * as S3. Described in docs/reference/admin-api.md and docs/reference/openapi.yaml.
 */
package io.volute.server.admin;
