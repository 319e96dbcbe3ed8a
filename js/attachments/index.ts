export { createAttachments } from "./attachments.js";
export { listenForFiles } from "./elements.js";
export type { FileElements } from "./elements.js";
export type { Attachments, AttachmentsOptions } from "./attachments.js";
export type { SavedAttachment, SavedAttachments } from "./saved.js";
export type { Upload, UploadContext, Uploaded } from "./upload.js";
export type { Attachment } from "../api/attachments.js";
