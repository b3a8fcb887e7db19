package io.volute.storage.memory;

import java.util.Optional;

/** Fills one image after the other. Used by one thread at a time. */
final class ImageAppender {
    private final ImageTable images;
    private final SegletPool.Use use;
    private Optional<Image> open = Optional.empty();

    ImageAppender(ImageTable images, SegletPool.Use use) {
        this.images = images;
        this.use = use;
    }

    /**
     * Returns an image to which an entry of this size can be appended now; empty when memory lacks.
     */
    Optional<Image> room(int entryBytes) {
        if (open.isPresent() && !open.get().fits(entryBytes)) {
            open.get().seal();
            open = Optional.empty();
        }
        if (open.isEmpty()) {
            open = images.open();
        }
        return open.filter(image -> image.prepare(entryBytes, use));
    }
}
