package io.volute.provenance.keys;

import java.security.SecureRandom;

/** No randomness: each call gives the same bytes, which count up from the first. */
final class Counting extends SecureRandom {
    private static final long serialVersionUID = 1L;

    private final int first;

    Counting(int first) {
        this.first = first;
    }

    @Override
    public void nextBytes(byte[] bytes) {
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (first + i);
        }
    }
}
