package io.volute.server.encryption;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.stream.IntStream;

/** Shreds of objects of which a test knows the generations of the data keys. */
public final class Shreds {
    private Shreds() {}

    /** Destroys the erasure secrets of some generations of data keys of an object. */
    public static void shred(Keyring keyring, ObjectName object, int... generations)
            throws IOException {
        SortedSet<Long> destroyed =
                keyring.shred(
                        object,
                        IntStream.of(generations)
                                .mapToObj(each -> wrapped(object.bucketId(), each))
                                .toList());
        assert destroyed.size() == generations.length;
    }

    private static WrappedKey wrapped(OptionalLong bucketId, int generation) {
        return new WrappedKey(
                "",
                0,
                bucketId,
                generation,
                EncryptionContext.NONE,
                new WrappedKey.ByService("unused"));
    }
}
