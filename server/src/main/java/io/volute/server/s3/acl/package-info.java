/** Access control lists: grants, their forms in requests and at rest, and who owns objects. */
package io.volute.server.s3.acl;
