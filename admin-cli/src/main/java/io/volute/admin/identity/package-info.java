/** Commands that manage users, access keys, groups, roles and policies. */
package io.volute.admin.identity;
