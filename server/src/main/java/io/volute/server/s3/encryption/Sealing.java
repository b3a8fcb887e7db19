package io.volute.server.s3.encryption;

import io.volute.server.encryption.DataKey;
import io.volute.server.s3.call.Answer;
import io.volute.storage.BlobWriter;
import io.volute.versioning.value.ObjectAttributes;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The encryption of a new object: how its bytes are encrypted, and what its answers and attributes
 * say about that.
 *
 * @param customerMd5 MD5 of the customer's key, which answers repeat
 */
public record Sealing(StoredEncryption encryption, DataKey key, Optional<String> customerMd5) {

    /** Returns a writer of the object's content over a writer of its bytes. */
    public static BlobWriter over(
            Optional<Sealing> sealing, BlobWriter writer, OptionalLong expectedBytes) {
        return sealing.isPresent() ? sealing.get().key.over(writer, expectedBytes) : writer;
    }

    /** Returns the attributes of the object. */
    public static ObjectAttributes in(ObjectAttributes attributes, Optional<Sealing> sealing) {
        return StoredEncryption.in(attributes, sealing.map(Sealing::encryption));
    }

    /** Adds the headers of the answer to the write. */
    public static void describe(Answer answer, Optional<Sealing> sealing) {
        sealing.ifPresent(each -> Encryption.describe(answer, each.encryption, each.customerMd5));
    }
}
