/** Commands that show the configuration and keep the profiles of servers. */
package io.volute.admin.config;
