/* SPDX-License-Identifier: Apache-2.0 */
/* sandlock-init, embedded: it is run from a sealed memfd only, see sandbox/session/init_image.h. */
	.section .rodata
	.balign 16
	.global sandlock_init_image
	.global sandlock_init_image_end
	.type sandlock_init_image, @object
sandlock_init_image:
	.incbin "sandlock-init.stripped"
sandlock_init_image_end:
	.byte 0
	.size sandlock_init_image, . - sandlock_init_image
	.section .note.GNU-stack,"",%progbits
