/**
 * The requests and answers of the admin API. The names of the fields are those on the wire.
 *
 * <p>A route has its arguments in the record whose name ends in {@code Request}. Times are in UTC;
 * numbers of bytes, states and versions are never negative unless their record states it. An empty
 * {@code next} ends a list; otherwise it is the {@code from} of the next page. All records are
 * immutable. The description for other programs is docs/reference/openapi.yaml.
 */
package io.volute.adminapi;
