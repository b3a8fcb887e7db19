package io.volute.storage.report;

import java.util.List;

/**
 * Damaged bytes, and the live records that need them. Copies share a blob, so a blob may have many
 * users.
 *
 * @param blob id of the damaged blob; 0 when the damage is in the entry of the only user
 * @param users the first users, by family and key
 * @param moreUsers number of users that are not in the list
 */
public record Damage(long blob, List<User> users, long moreUsers) {
    /** Greatest number of users that a check lists, for all damages together. */
    public static final int USERS_MAX = 10_000;

    public Damage {
        users = List.copyOf(users);
    }

    /**
     * A record that needs damaged bytes.
     *
     * @param family id of its family
     * @param key must not be changed
     */
    public record User(int family, byte[] key) {}
}
