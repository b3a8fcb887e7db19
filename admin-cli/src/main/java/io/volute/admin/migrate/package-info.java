/** Import of buckets, objects and identities from other stores. */
package io.volute.admin.migrate;
