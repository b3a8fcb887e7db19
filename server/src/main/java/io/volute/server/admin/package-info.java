/**
 * The admin API under {@code /_volute/v1/}: JSON, for the root user, behind the same authenticator
 * as S3. Described in docs/admin-api.md and docs/openapi.yaml.
 */
package io.volute.server.admin;
